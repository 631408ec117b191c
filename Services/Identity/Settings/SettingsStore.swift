import GRDB
import IdentityContract
import Operations
import Storage

/// What accounts' owners have decided.
enum SettingsStore {
  /// Accounts from before have consented to nothing and are not listed: nobody asked them.
  static func migration(_ number: Int) -> Migration {
    Migration(number, "settings and consents") { database in
      try database.execute(
        sql: """
          ALTER TABLE accounts ADD COLUMN mutes_help INTEGER NOT NULL DEFAULT 0 CHECK (mutes_help IN (0, 1));
          ALTER TABLE accounts ADD COLUMN directory_visibility TEXT NOT NULL DEFAULT 'hidden'
            CHECK (directory_visibility IN ('hidden', 'listed'));
          -- What it consents to now, purposes with a blank between; how it came to that is in consent_records.
          ALTER TABLE accounts ADD COLUMN consents TEXT NOT NULL DEFAULT '';
          """)
      try database.execute(sql: ConsentStore.table)
    }
  }

  /// To whom a profile shows what others did not see before.
  static func profilesMigration(_ number: Int) -> Migration {
    Migration(number, "what profiles show") { database in
      try database.execute(
        sql: """
          ALTER TABLE accounts ADD COLUMN name_visibility TEXT NOT NULL DEFAULT 'hidden'
            CHECK (name_visibility IN ('hidden', 'friends', 'everyone'));
          ALTER TABLE accounts ADD COLUMN age_visibility TEXT NOT NULL DEFAULT 'hidden'
            CHECK (age_visibility IN ('hidden', 'friends', 'everyone'));
          """)
    }
  }

  /// Everybody gives read receipts until it decides otherwise.
  static func readReceiptMigration(_ number: Int) -> Migration {
    Migration(number, "read receipts") { database in
      try database.execute(
        sql: """
          ALTER TABLE accounts ADD COLUMN gives_read_receipts INTEGER NOT NULL DEFAULT 1 CHECK (gives_read_receipts IN (0, 1))
          """)
    }
  }

  /// Everyone may enrol an account in tasks until its owner decides otherwise.
  static func taskEnrollmentMigration(_ number: Int) -> Migration {
    Migration(number, "who may enrol in tasks") { database in
      try database.execute(
        sql: """
          ALTER TABLE accounts ADD COLUMN task_enrollment TEXT NOT NULL DEFAULT 'everybody'
            CHECK (task_enrollment IN ('everybody', 'friends', 'nobody'))
          """)
    }
  }

  /// Calls those who may enrol an account by default as the other settings do.
  static func everyoneMigration(_ number: Int) -> Migration {
    Migration(number, "everyone may enrol in tasks, by the name of the other settings") { database in
      // No account is touched: those that say everybody are read as everyone.
      try database.redeclare("accounts", replacing: "DEFAULT 'everybody'", with: "DEFAULT 'everyone'")
      try database.redeclare("accounts", replacing: "IN ('everybody', ", with: "IN ('everyone', 'everybody', ")
    }
  }

  /// What the account's owner has decided.
  static func read(of account: AccountRecord, in database: Database) throws -> AccountSettings {
    AccountSettings(
      language: account.language, timeZone: account.timeZone, dayStartHour: account.dayStartHour,
      consents: try ConsentStore.states(of: account.id, in: database),
      directoryVisibility: account.directoryVisibility, nameVisibility: account.nameVisibility,
      ageVisibility: account.ageVisibility, givesReadReceipts: account.givesReadReceipts,
      taskEnrollment: account.taskEnrollment)
  }

  /// Changes the settings that are given, and publishes that if it makes a difference.
  static func change(
    of account: AccountRecord, by input: UpdateSettings.Input, _ transaction: Transaction
  ) throws -> AccountRecord {
    let choices = input.consents.applied(to: ConsentChoices())
    let isChanged = [
      input.language.applied(to: account.language) != account.language,
      input.timeZone.value.map { $0.name != account.timeZone } ?? false,
      input.dayStartHour.applied(to: account.dayStartHour) != account.dayStartHour,
      input.directoryVisibility.applied(to: account.directoryVisibility) != account.directoryVisibility,
      input.nameVisibility.applied(to: account.nameVisibility) != account.nameVisibility,
      input.ageVisibility.applied(to: account.ageVisibility) != account.ageVisibility,
      input.givesReadReceipts.applied(to: account.givesReadReceipts) != account.givesReadReceipts,
      input.taskEnrollment.applied(to: account.taskEnrollment) != account.taskEnrollment,
      !choices.changes(from: account.consents).isEmpty,
    ].contains(true)
    guard isChanged else { return account }
    try transaction.database.cachedStatement(
      sql: """
        UPDATE accounts SET language = ?, time_zone = ?, day_start_hour = ?, directory_visibility = ?,
          name_visibility = ?, age_visibility = ?, gives_read_receipts = ?, task_enrollment = ?,
          revision = revision + 1
        WHERE account_id = ?
        """
    ).execute(arguments: [
      input.language.applied(to: account.language), input.timeZone.value?.name ?? account.timeZone,
      input.dayStartHour.applied(to: account.dayStartHour),
      input.directoryVisibility.applied(to: account.directoryVisibility),
      input.nameVisibility.applied(to: account.nameVisibility),
      input.ageVisibility.applied(to: account.ageVisibility),
      input.givesReadReceipts.applied(to: account.givesReadReceipts),
      input.taskEnrollment.applied(to: account.taskEnrollment), account.id,
    ])
    try ConsentStore.change(of: account.id, from: account.consents, by: choices, transaction)
    return try AccountStore.publish(account.id, transaction)
  }
}
