"""The paper's six regression problems, and your own.

| name      | rows               | inputs | what is predicted                                             |
|-----------|--------------------|--------|---------------------------------------------------------------|
| `housing` | 354 + 152          | 13     | median price of houses around Boston                          |
| `tower`   | 2195 + 940         | 25     | propylene concentration at the top of a distillation tower    |
| `wind`    | 4200 + 1800        | 4      | bending moment of a wind turbine's tower; dynamic, part rebuilt |
| `enh`     | 538 + 230          | 8      | heating load of simulated buildings                           |
| `enc`     | 538 + 230          | 8      | cooling load of simulated buildings                           |
| `uball5d` | 1024 + 5000        | 5      | 10 / (5 + sum of (x_i - 3)^2); needs no file                  |

    problem = problems.load("housing")
    train, test = problem.split(seed=0)          # z-scored; train.X, train.y

UBall5D is searched in raw units, on the authors' own rows if their file is available, else on drawn rows.
`uball5d_z` is an ablation: the same rows, z-scored. `housing_blind`, `uball5d_blind` and so on are ablations whose last
input column is 0.

Beyond the paper's six: `airfoil`, `concrete` and `yacht`, from the authors' study of 2019.

Data is read from the folder named by the environment variable EPSILEX_DATA or from the user's cache, or else downloaded
from the authors' public repositories. Its SHA-256 is checked. `load` never downloads UBall5D; `epsilex data uball5d`
fetches the authors' rows.

problem       `Problem`: data, partition, provenance
loading       problems by name, and from your own table
uball5d       the problem that needs no file
blind         ablations without the last input column
paper         declarations of the paper's other problems
further       declarations of problems that are not in the paper
declaration   `Declaration`: a problem before its data is read
authors       addresses of the authors' files
finding       local or fetched data, checked
fetching      download and cache
preparing     recipes that turn the authors' files into tables
partitions    training and test rows
"""

from epsilex.problems.fetching import DataMissing
from epsilex.problems.loading import ABLATIONS, FURTHER, NAMES, from_csv, load
from epsilex.problems.problem import Problem, Split

__all__ = ["ABLATIONS", "FURTHER", "NAMES", "DataMissing", "Problem", "Split", "from_csv", "load"]
