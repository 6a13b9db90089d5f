"""The paper's experiments, from one trial to the page that compares them with the published results.

    from epsilex import experiments

    experiments.reproduce(out="reproduction", jobs=2)                        # run, or continue
    experiments.reproduce(methods=["tournament", "my.module:select"])        # your own method beside another
    experiments.report("reproduction")                                      # rewrite tables, figures and page
    experiments.keep("reproduction", "docs/reproduction")                   # a compact copy that can be committed

| module       | what it holds                                                               |
|--------------|-----------------------------------------------------------------------------|
| `reproduction` | the functions above                                                       |
| `studies`    | the studies as lists of trials                                              |
| `methods`    | the compared methods, their labels and letters                              |
| `trials`     | one trial: key, seeds, run                                                  |
| `environment` | where a trial ran                                                          |
| `runner`     | runs, stores and retries trials, on processes or a Dask cluster             |
| `progress`   | the live table                                                              |
| `store`      | writes the results file; `results`: reads it as tidy rows; `schema`         |
| `compact`    | the results as a few small text files                                       |
| `statistics` | medians, tests, ranks, intervals on tidy rows; `bayes`, `comparisons`       |
| `published`  | the paper's table                                                           |
| `verdicts`   | our results against the paper's, by cell; `claims`: sentence by sentence    |
| `discussion` | the paper's open questions, answered                                        |
| `laboratory` | all selection methods on one bench; `measures`: their ranks and figures     |
| `differences` | paper, authors' program and ours, side by side                             |
| `tables`     | Markdown, LaTeX, CSV; `summary`: counts in Markdown; `page`: index.html     |
| `figures`    | the paper's figures; `figure_data`: their data; `plots`: drawing            |
"""

from epsilex.experiments.reproduction import Reproduction, keep, report, reproduce
from epsilex.experiments.store import ResultsError

__all__ = ["Reproduction", "ResultsError", "keep", "report", "reproduce"]
