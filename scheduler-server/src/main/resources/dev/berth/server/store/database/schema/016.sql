-- A list in another order than that of the numbers looks at each of its jobs, for a page of it. Here it finds all that it orders
-- and filters by, a tenth of a row's size.
CREATE INDEX job_sorted ON job (id, uid, state, name, project, user, gpu_milli, submitted_at, started_at, ended_at, array);
