-- What programs tell of their jobs, in a database of its own: it grows by thousands of points a second, and a disk that
-- it fills must not stop the queue. A job's number is that of berth.db; nothing here is needed to schedule.

-- A job of which something was told.
CREATE TABLE tracked (
    job INTEGER PRIMARY KEY,
    -- Whether what it was given is here: the values of its sweep, its tags.
    given INTEGER NOT NULL DEFAULT 0,
    -- The last that it said of how far it is, and the first of the same attempt, in milliseconds since 1970.
    progress REAL,
    progress_of REAL,
    progress_unit TEXT,
    progress_at INTEGER,
    -- The attempt that said it.
    progress_attempt INTEGER,
    first_progress REAL,
    first_progress_at INTEGER
);

-- A place that is read, and how far: written in one transaction with what was found there.
CREATE TABLE source (
    job INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    name TEXT NOT NULL,
    position INTEGER NOT NULL,
    -- Whether the line at the position is too long, and left out up to its end.
    skipping INTEGER NOT NULL,
    -- Nothing will come any more, and all is read.
    done INTEGER NOT NULL,
    PRIMARY KEY (job, attempt, name)
) WITHOUT ROWID;

-- A metric of a job. Times are milliseconds since 1970; a value that is no number (NaN) is NULL.
CREATE TABLE series (
    id INTEGER PRIMARY KEY,
    job INTEGER NOT NULL,
    name TEXT NOT NULL,
    points INTEGER NOT NULL,
    -- How many of them, the newest, are rows of their own.
    loose INTEGER NOT NULL,
    last_step INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    last_value REAL,
    min_step INTEGER,
    min_at INTEGER,
    min_value REAL,
    max_step INTEGER,
    max_at INTEGER,
    max_value REAL,
    UNIQUE (job, name)
);

CREATE INDEX series_by_name ON series (name, job);

-- Points by hundreds, from the one of that number on.
CREATE TABLE block (
    series INTEGER NOT NULL,
    first INTEGER NOT NULL,
    points BLOB NOT NULL,
    PRIMARY KEY (series, first)
);

-- Points that are too few for a block yet.
CREATE TABLE loose_point (
    series INTEGER NOT NULL,
    number INTEGER NOT NULL,
    step INTEGER NOT NULL,
    at INTEGER NOT NULL,
    value REAL,
    PRIMARY KEY (series, number)
) WITHOUT ROWID;

CREATE TABLE parameter (
    job INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (job, name)
) WITHOUT ROWID;

CREATE TABLE tag (
    job INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (job, name)
) WITHOUT ROWID;

CREATE TABLE artifact (
    job INTEGER NOT NULL,
    path TEXT NOT NULL,
    key TEXT,
    at INTEGER NOT NULL,
    PRIMARY KEY (job, path)
) WITHOUT ROWID;

-- What a user notes of a project. It is theirs, and no job's: it stays where the last job of the project is deleted.
CREATE TABLE project_notes (
    uid INTEGER NOT NULL,
    project TEXT NOT NULL,
    notes TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (uid, project)
) WITHOUT ROWID;

-- What was left out of what a job told, by kind, and how often.
CREATE TABLE omission (
    job INTEGER NOT NULL,
    kind TEXT NOT NULL,
    sentence TEXT NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY (job, kind)
) WITHOUT ROWID;
