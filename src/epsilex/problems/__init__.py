"""The paper's six regression problems, and anyone's own.

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

UBall5D is searched in raw units, on the authors' own rows where their file is at hand, else on drawn ones.
`uball5d_z` is an ablation: the same rows, z-scored.

Outside the paper's six: `airfoil`, `concrete` and `yacht`, of the authors' study of 2019.

Data is looked for in the folder named by the environment variable EPSILEX_DATA, then in the user's cache, then it is
downloaded from the authors' public repositories. Content is checked by its SHA-256. UBall5D is never downloaded by
`load`; `epsilex data uball5d` fetches the authors' rows.

problem       what a problem is: data, partition, provenance
loading       problems by name, and anyone's own table
uball5d       the problem that needs no file
paper         declarations of the paper's other problems
further       declarations of problems the paper does not have
declaration   what is known of a problem before its data is read
authors       addresses of the authors' files
finding       data at hand or fetched, checked
fetching      download and cache
preparing     recipes from the authors' files to tables
partitions    training and test rows
"""

from epsilex.problems.fetching import DataMissing
from epsilex.problems.loading import ABLATIONS, FURTHER, NAMES, from_csv, load
from epsilex.problems.problem import Problem, Split

__all__ = ["ABLATIONS", "FURTHER", "NAMES", "DataMissing", "Problem", "Split", "from_csv", "load"]
