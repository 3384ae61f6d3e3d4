-- The cores that a job holds; the rows go with the holding, as those of allocation do.
CREATE TABLE cpu_allocation (
    job  INTEGER NOT NULL REFERENCES job (id),
    cpu  INTEGER NOT NULL,
    PRIMARY KEY (job, cpu)
) STRICT, WITHOUT ROWID;

-- What a job's attempt has left and nobody has looked at yet: still held, until it is known to be clean.
CREATE TABLE gpu_cleaning (
    job       INTEGER NOT NULL,
    attempt   INTEGER NOT NULL,
    position  INTEGER NOT NULL,
    gpu       TEXT    NOT NULL,
    milli     INTEGER NOT NULL CHECK (milli BETWEEN 1 AND 1000),
    PRIMARY KEY (job, attempt, position)
) STRICT, WITHOUT ROWID;

-- The GPUs that are out of service until somebody resumes them.
CREATE TABLE gpu_drain (
    gpu         TEXT    PRIMARY KEY,
    drained_by  TEXT    NOT NULL,
    reason      TEXT    NOT NULL,
    drained_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What somebody should know of a job beside its state; ended_at once it is not so any more.
CREATE TABLE job_warning (
    job       INTEGER NOT NULL REFERENCES job (id),
    attempt   INTEGER NOT NULL,
    code      TEXT    NOT NULL,
    subject   TEXT    NOT NULL,
    sentence  TEXT    NOT NULL,
    since     INTEGER NOT NULL,
    ended_at  INTEGER,
    PRIMARY KEY (job, attempt, code, subject)
) STRICT, WITHOUT ROWID;

-- What an event says beyond its name.
ALTER TABLE job_event ADD COLUMN sentence TEXT;

-- The process of the machine that a job's cards are leased to: a program with the command that started it and will tell
-- its exit code, or a shell. Processes by number and start, in the kernel's clock ticks since the machine's start.
CREATE TABLE host_process (
    job             INTEGER PRIMARY KEY REFERENCES job (id),
    attempt         INTEGER NOT NULL,
    pid             INTEGER NOT NULL,
    start_ticks     INTEGER NOT NULL,
    cli_pid         INTEGER,
    cli_start_ticks INTEGER,
    started_at      INTEGER NOT NULL
) STRICT;
-- It goes with the holding.
CREATE TRIGGER host_process_over AFTER UPDATE OF state ON job
    WHEN new.state NOT IN ('STARTING', 'RUNNING', 'STOPPING') BEGIN
    DELETE FROM host_process WHERE job = new.id;
END;

-- How a GPU was: rings that are written over in place. A row is a block of samples, 8 bytes each as usage.Sample packs
-- them; block is its number since 1970, and place the number within the ring.
CREATE TABLE gpu_usage (
    gpu      TEXT    NOT NULL,
    step     INTEGER NOT NULL CHECK (step > 0),
    place    INTEGER NOT NULL,
    block    INTEGER NOT NULL,
    samples  BLOB    NOT NULL,
    PRIMARY KEY (gpu, step, place)
) STRICT, WITHOUT ROWID;

-- What a job's last attempt made of its GPUs; sums over milliseconds, so that means can go on after a restart. The curve
-- has a byte for each curve_step seconds: percent, 255 where nobody knows.
CREATE TABLE job_usage (
    job                 INTEGER PRIMARY KEY REFERENCES job (id),
    attempt             INTEGER NOT NULL,
    known_millis        INTEGER NOT NULL,
    utilisation_millis  INTEGER NOT NULL,
    peak_memory_mib     INTEGER,
    idle_millis         INTEGER NOT NULL,
    energy_millijoules  INTEGER,
    curve_step          INTEGER NOT NULL CHECK (curve_step > 0),
    curve               BLOB    NOT NULL
) STRICT;
