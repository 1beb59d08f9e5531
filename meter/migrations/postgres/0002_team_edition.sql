-- One row that tells which edition of people, passes, limits and rates this is: whoever changes one of them, in
-- whatever program, makes a new one.
CREATE TABLE team_edition (n BIGINT NOT NULL);
INSERT INTO team_edition (n) VALUES (0);

CREATE FUNCTION make_team_edition() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN UPDATE team_edition SET n = n + 1; RETURN NULL; END $$;

CREATE TRIGGER people_changed AFTER INSERT OR UPDATE OR DELETE ON people
FOR EACH STATEMENT EXECUTE FUNCTION make_team_edition();
-- Not of last_used_at, which holds write.
CREATE TRIGGER passes_changed AFTER INSERT OR UPDATE OF id, person, hash, expires_at, revoked_at OR DELETE ON passes
FOR EACH STATEMENT EXECUTE FUNCTION make_team_edition();
CREATE TRIGGER limits_changed AFTER INSERT OR UPDATE OR DELETE ON limits
FOR EACH STATEMENT EXECUTE FUNCTION make_team_edition();
CREATE TRIGGER rates_changed AFTER INSERT OR UPDATE OR DELETE ON rates
FOR EACH STATEMENT EXECUTE FUNCTION make_team_edition();
