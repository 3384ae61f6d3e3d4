-- The cores and the memory that a job's last attempt used. The curves have four bytes for each curve_step seconds, the highest
-- first: thousandths of a core, and MiB; -1 where nobody knows.
CREATE TABLE job_machine_usage (
    job              INTEGER PRIMARY KEY REFERENCES job (id),
    attempt          INTEGER NOT NULL,
    cpu_millis       INTEGER NOT NULL,
    ran_millis       INTEGER NOT NULL,
    peak_memory_mib  INTEGER NOT NULL,
    curve_step       INTEGER NOT NULL CHECK (curve_step > 0),
    cpu_milli        BLOB    NOT NULL,
    memory_mib       BLOB    NOT NULL
) STRICT;
