"""The paper's experiments, from one trial to the page that holds them against the published results.

    from epsilex import experiments

    experiments.reproduce(out="reproduction", jobs=2)                        # run, or continue
    experiments.reproduce(methods=["tournament", "my.module:select"])        # your own method beside another
    experiments.report("reproduction")                                      # tables, figures and page anew

| module       | what it holds                                                               |
|--------------|-----------------------------------------------------------------------------|
| `reproduction` | the two functions above                                                   |
| `studies`    | the paper's two studies as lists of trials                                  |
| `methods`    | the compared methods, their labels and letters                              |
| `trials`     | one trial: key, seeds, run                                                  |
| `runner`     | trials run, stored, tried again; `pools`: on processes or a Dask cluster    |
| `progress`   | the live table                                                              |
| `store`      | the results file, written; `results`: read back as tidy rows; `schema`      |
| `statistics` | medians, tests, ranks, intervals on tidy rows; `bayes`, `comparisons`       |
| `published`  | the paper's table                                                           |
| `verdicts`   | ours against the published, cell by cell; `claims`: sentence by sentence    |
| `differences` | paper, authors' program and ours, side by side                             |
| `tables`     | Markdown, LaTeX, CSV; `figures` (data in `figure_data`); `page`: index.html |
"""

from epsilex.experiments.reproduction import Reproduction, report, reproduce
from epsilex.experiments.store import ResultsError

__all__ = ["Reproduction", "ResultsError", "report", "reproduce"]
