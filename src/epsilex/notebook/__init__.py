"""A search that a notebook shows while it runs; it needs `pip install 'epsilex[notebook]'`.

widget  `FrontWidget`, the front as it grows, and `watch`, which fits an estimator under it
"""

from epsilex.notebook.widget import FrontWidget, watch

__all__ = ["FrontWidget", "watch"]
