/// What every store needs in order to forget an account (ID-12).
enum ErasureSchema {
  static let first = """
    -- The accounts whose data was erased here: late events and requests about them have no effect. Ids name nobody any more.
    CREATE TABLE erasures (
      account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
      deletion_id BLOB NOT NULL UNIQUE CHECK (length(deletion_id) = 16),
      -- How much was erased, of each kind.
      counts TEXT NOT NULL CHECK (json_valid(counts)),
      erased_at INTEGER NOT NULL,
      -- When nothing was left in the files, and when identity had acknowledged that.
      cleaned_at INTEGER,
      confirmed_at INTEGER,
      CHECK (confirmed_at IS NULL OR cleaned_at IS NOT NULL)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX erasures_unconfirmed ON erasures (erased_at) WHERE confirmed_at IS NULL;

    DROP TRIGGER outbox_is_history;
    -- An event that named an erased account keeps its number and nothing else, so that the numbering has no gap.
    CREATE TRIGGER outbox_is_history BEFORE UPDATE ON outbox
    WHEN NEW.number <> OLD.number OR NEW.name <> 'events.erased' OR NEW.at <> OLD.at OR NEW.traceparent IS NOT NULL
      OR NEW.body <> x'7B7D'
    BEGIN SELECT RAISE(ABORT, 'a published event does not change'); END;
    """

  static let steps = """
    -- The last event before the erasure began: later ones, about its consequences, stay.
    ALTER TABLE erasures ADD COLUMN told_through INTEGER NOT NULL DEFAULT 0;
    -- How far events were searched.
    ALTER TABLE erasures ADD COLUMN emptied_through INTEGER NOT NULL DEFAULT 0;
    -- When no row was left; until then rows are deleted in steps, and shown to nobody.
    ALTER TABLE erasures ADD COLUMN rows_erased_at INTEGER;
    UPDATE erasures SET rows_erased_at = erased_at;
    """
}
