"""Drills: what must not break, broken on purpose, with seeds and counts. `python -m drills` runs them.

drill        the registry, one drill's outcome, failures kept and counted
command      the command line, in this process and in others
fits         small fits with known bits, for the drills that disturb them
page         the figures of the last run, in figures.json and docs/promises.md
kills        searches, fits and experiments killed with SIGKILL and continued
damage       models, checkpoints and records with flipped bits, missing and extra bytes
forgery      the same files with right checksums and wrong content
formulas     hostile text for the parser
tables       poison tables for `fit` and `predict`
names        hostile names of columns and files in every page
signals      SIGINT and SIGTERM at every stage
disks        full disks on small mounts, and read-only folders
concurrency  fits at once: threads, processes, one folder
determinism  one result for seeds x threads x estimators
numbers      targets and features at the ends of float64
islands      islands whose workers are killed, join and leave
leaks        threads, open files and memory after many fits; a million rows
"""
