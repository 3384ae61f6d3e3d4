-- What the browser of a session of the page says it is; null for a token.
ALTER TABLE token ADD COLUMN browser TEXT;
