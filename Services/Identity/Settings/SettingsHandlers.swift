import GRDB
import IdentityContract
import Logging
import Operations
import ServiceKit
import Storage

/// The settings of accounts: read and updated.
enum SettingsHandlers {
  static func get(_ input: Empty, _ call: AccountCall, _ database: Database) throws -> AccountSettings {
    try SettingsStore.read(of: call.liveAccount(database), in: database)
  }

  static func update(_ input: UpdateSettings.Input, _ call: AccountCall, _ transaction: Transaction) throws -> AccountSettings {
    let account = try SettingsStore.change(of: call.liveAccount(transaction.database), by: input, transaction)
    return try SettingsStore.read(of: account, in: transaction.database)
  }

  /// Notifies the services that keep data by consent of a withdrawal, before it is answered.
  static func spread(_ input: UpdateSettings.Input, _ call: AccountCall) async throws {
    guard let consents = input.consents.value, ConsentPurpose.allCases.contains(where: { consents[$0] == false }) else { return }
    try await call.spreadWithdrawal()
  }
}

extension AccountCall {
  /// Notifies the services that keep data by consent of a withdrawal, before it is answered: nothing sent afterwards is kept (ID-13).
  ///
  /// A service that does not answer learns of it with the next event that it receives. The withdrawal stands, so it does not fail for that.
  fileprivate func spreadWithdrawal() async throws {
    let id = account
    guard let changed = try await read({ try AccountStore.find(id, in: $0)?.changed }) else { return }
    for service in ConsentRules.keepers {
      do {
        _ = try await request(SyncAccount.self, changed, to: service, within: ConsentRules.maxSeconds)
      } catch let failure as Failure {
        logger.warning(
          "a withdrawn consent is not known everywhere yet",
          metadata: ["service": .string(service.rawValue), "code": .string(failure.code)])
      }
    }
  }
}
