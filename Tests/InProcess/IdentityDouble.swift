import IdentityContract
import Messaging
import Operations
import ServiceKit
import Synchronization

/// Stands for identity: knows accounts, tells of them, and answers who asks.
final class IdentityDouble: Sendable {
  private let accounts = Mutex<[AccountID: AccountChanged]>([:])
  private let deletions = Mutex<[AccountDeleted]>([])

  var definition: ServiceDefinition {
    var service = ServiceDefinition(
      Contract(.identity, operations: [LookUpAccount.self], events: [AccountChanged.self], words: []), migrations: [])
    service.serve(LookUpAccount.self) { input, _ in
      guard let account = self.accounts.withLock({ accounts in input.accountID.flatMap { accounts[$0] } }) else {
        throw Failure(RequestFailure.notFound)
      }
      return account
    }
    service.publishSnapshot { _, _, _ in
      let accounts = self.accounts.withLock { Array($0.values) } as [any Event]
      let deletions = self.deletions.withLock { Array($0) } as [any Event]
      return (accounts + deletions, nil)
    }
    return service
  }

  func add(
    timeZone: String, dayStartHour: Int, isVerified: Bool, language: Language, consents: [ConsentPurpose]
  ) throws -> AccountChanged {
    let number = accounts.withLock { $0.count }
    let account = AccountChanged(
      accountID: AccountID(), username: try Username(text: "person\(number)"), nickname: nil,
      timeZone: try TimeZoneName(text: timeZone), dayStartHour: dayStartHour, language: language, isVerified: isVerified,
      consents: consents, revision: 1)
    accounts.withLock { $0[account.accountID] = account }
    return account
  }

  func delete(_ id: AccountID, at now: Instant) -> AccountDeleted {
    let event = AccountDeleted(deletionID: AccountDeletionID(), accountID: id, at: now)
    deletions.withLock { $0.append(event) }
    return event
  }

  func change(_ id: AccountID, _ change: (inout AccountChanged) throws -> Void) throws -> AccountChanged {
    try accounts.withLock { accounts in
      guard var account = accounts[id] else { throw Failure(RequestFailure.notFound) }
      try change(&account)
      account.revision += 1
      accounts[id] = account
      return account
    }
  }
}
