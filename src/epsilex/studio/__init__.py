"""The studio: watch and steer a search in the browser.

The server never searches. Each run has its own process, which publishes snapshots into the run's folder and reads acts
from it, so everything is on disk and either side may be killed.

project     the project folder: tables and runs, by id
lock        whether a run's process is alive
columns     what the page shows of a table's columns
specs       what a run is asked for, checked
preparing   a run's rows, from its table and its spec
units       units of columns and target, with errors that name the column
notation    formulas as text, and back
bounds      what is known of values and slopes
acts        what a person may do to a run, and the log of it
forms       formulas compared without their constants
desk        the loop of a run's process: segments of a search, with acts between them
publishing  snapshots of a search
worker      the process of a run: search, answer, files
parts       the parts of a formula
looking     what the page shows of one formula
exporting   models, notebooks and other files to take away
views       what the page shows of runs
guard       who may ask: host, origin, cookie, CSRF header
uploads     tables from the browser, of bounded size
app         the JSON API and the page
serving     the web server, its address and its end
"""
