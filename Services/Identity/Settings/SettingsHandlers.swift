import GRDB
import IdentityContract
import Logging
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the settings of accounts (requirement ID-13).
  mutating func serveSettings() {
    serve(
      ReadSettings.self,
      read: { _, call, database in try database.settings(of: call.liveAccount(database)) })

    serve(
      UpdateSettings.self,
      write: { input, call, transaction in
        let account = try transaction.changeSettings(of: call.liveAccount(transaction.database), by: input)
        return try transaction.database.settings(of: account)
      },
      afterwards: { input, call in
        guard let consents = input.consents, ConsentPurpose.allCases.contains(where: { consents[$0] == false }) else { return }
        try await call.spreadWithdrawal()
      })
  }
}

extension Call {
  /// Lets those who keep what needs consent know of a withdrawal before it is answered: nothing that is sent afterwards is kept (ID-13).
  ///
  /// One that does not answer hears of it as soon as it hears anything. The withdrawal stands, so it does not fail for that.
  fileprivate func spreadWithdrawal() async throws {
    let id = try account
    guard let changed = try await read({ try $0.account(id)?.changed }) else { return }
    for service in ConsentRule.keepers {
      do {
        _ = try await request(FollowAccount.self, changed, to: service, within: ConsentRule.maxSeconds)
      } catch let failure as Failure {
        logger.warning(
          "a withdrawn consent is not known everywhere yet",
          metadata: ["service": .string(service.rawValue), "code": .string(failure.code)])
      }
    }
  }
}

extension Database {
  /// What the account's owner has decided.
  fileprivate func settings(of account: AccountRecord) throws -> AccountSettings {
    AccountSettings(
      language: account.language, timeZone: account.timeZone, dayStartHour: account.dayStartHour,
      muteHelpNotifications: account.mutesHelp, consents: try consents(of: account.id),
      directoryVisibility: account.directoryVisibility)
  }
}

extension Transaction {
  /// Changes the settings that are given, and tells of it if that makes a difference.
  fileprivate func changeSettings(of account: AccountRecord, by input: UpdateSettings.Input) throws -> AccountRecord {
    let choices = input.consents ?? ConsentChoices()
    let isChanged = [
      input.language.map { $0 != account.language }, input.timeZone.map { $0.name != account.timeZone },
      input.dayStartHour.map { $0 != account.dayStartHour }, input.muteHelpNotifications.map { $0 != account.mutesHelp },
      input.directoryVisibility.map { $0 != account.directoryVisibility },
      choices.changes(from: account.consents).isEmpty == false,
    ].contains(true)
    guard isChanged else { return account }
    try database.cachedStatement(
      sql: """
        UPDATE accounts SET language = ?, time_zone = ?, day_start_hour = ?, mutes_help = ?, directory_visibility = ?,
          revision = revision + 1
        WHERE account_id = ?
        """
    ).execute(arguments: [
      input.language ?? account.language, input.timeZone?.name ?? account.timeZone, input.dayStartHour ?? account.dayStartHour,
      input.muteHelpNotifications ?? account.mutesHelp, input.directoryVisibility ?? account.directoryVisibility, account.id,
    ])
    try changeConsents(of: account.id, from: account.consents, by: choices)
    return try publishAccount(account.id)
  }
}
