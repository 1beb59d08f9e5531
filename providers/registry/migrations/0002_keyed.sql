-- A provider that ever had a key is not called without one once its last is gone.
ALTER TABLE providers ADD COLUMN keyed BIGINT NOT NULL DEFAULT 0;
UPDATE providers SET keyed = 1 WHERE name IN (SELECT provider FROM provider_keys);
