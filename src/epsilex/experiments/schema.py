"""The results file: its tables, and its version."""

APPLICATION_ID = 0x65707378  # "epsx": tells our files from other SQLite files
VERSION = 2

TRIAL_COLUMNS = (
    "test_mae", "test_mae_measured", "train_mae", "target_scale", "training_cases", "test_cases", "length", "formula",
    "generations", "evaluations", "seconds", "cpu_seconds",
)  # fmt: skip

TABLES = """
CREATE TABLE runs (
    run INTEGER PRIMARY KEY, started TEXT NOT NULL, finished TEXT,
    study TEXT NOT NULL, trials INTEGER NOT NULL, generations INTEGER NOT NULL, population_size INTEGER NOT NULL,
    engine INTEGER NOT NULL, workers TEXT NOT NULL
);
-- what is to be reported: the settings with which each cell was last asked for, and the most trials asked for
CREATE TABLE cells (
    study TEXT NOT NULL, problem TEXT NOT NULL, name TEXT NOT NULL, method TEXT NOT NULL, settings TEXT NOT NULL,
    engine INTEGER NOT NULL, generations INTEGER NOT NULL, population_size INTEGER NOT NULL, trials INTEGER NOT NULL,
    PRIMARY KEY (study, problem, name, engine, generations, population_size)
);
CREATE TABLE problems (
    problem TEXT PRIMARY KEY, title TEXT NOT NULL, sha256 TEXT NOT NULL,
    rows INTEGER NOT NULL, features INTEGER NOT NULL, dynamic INTEGER NOT NULL, raw_errors INTEGER NOT NULL,
    rebuilt INTEGER NOT NULL,
    source TEXT NOT NULL, citation TEXT NOT NULL, notes TEXT NOT NULL
);
CREATE TABLE environments (environment INTEGER PRIMARY KEY, description TEXT NOT NULL UNIQUE);
CREATE TABLE trials (
    id INTEGER PRIMARY KEY,
    problem TEXT NOT NULL, method TEXT NOT NULL, settings TEXT NOT NULL, engine INTEGER NOT NULL,
    trial INTEGER NOT NULL,
    seed INTEGER NOT NULL, split_seed INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('done', 'failed')), attempts INTEGER NOT NULL, error TEXT,
    test_mae REAL, test_mae_measured REAL, train_mae REAL, target_scale REAL,
    training_cases INTEGER, test_cases INTEGER, length INTEGER, formula TEXT, generations INTEGER, evaluations INTEGER,
    seconds REAL, cpu_seconds REAL,
    environment INTEGER REFERENCES environments, finished TEXT NOT NULL,
    UNIQUE (problem, method, settings, engine, trial)
);
CREATE TABLE generations (
    trial INTEGER NOT NULL REFERENCES trials (id) ON DELETE CASCADE, generation INTEGER NOT NULL,
    best_mae REAL, median_mae REAL, cases_used REAL, cases_used_mean REAL, diversity REAL, mean_length REAL,
    evaluations INTEGER, seconds REAL, seconds_select REAL, seconds_vary REAL, seconds_evaluate REAL, seconds_tune REAL,
    seconds_survive REAL,
    PRIMARY KEY (trial, generation)
) WITHOUT ROWID;
"""
