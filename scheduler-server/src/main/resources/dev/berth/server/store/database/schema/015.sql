-- A page of a user's projects counts the jobs of those projects alone, and reads no row of theirs: SQLite looks for the
-- column of the condition as well.
CREATE INDEX job_of_own_project ON job (uid, project, id, state, submitted_at, array) WHERE array IS NULL;
