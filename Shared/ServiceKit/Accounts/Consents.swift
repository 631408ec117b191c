public import GRDB
public import IdentityContract
public import Operations
import Storage

// Code that handles personal data for a purpose that needs consent asks here, in the transaction that would store the data: without consent
// the request is refused, not silently ignored (requirement ID-13).

extension Accounts {
  /// Throws unless the account has consented, as far as the read model knows.
  ///
  /// A withdrawal takes effect with the transaction that receives it: a request under way is either stored as a whole before it, or refused
  /// as a whole after it.
  /// - Throws: `consent_required`, naming the consent and where to give it; the operation declares it.
  public static func requireConsent(_ purpose: ConsentPurpose, of account: AccountID, in database: Database) throws {
    guard try hasConsent(purpose, of: account, in: database) else {
      throw Failure(
        RequestFailure.consentRequired,
        ["reason": .text("consent_\(purpose.rawValue)"), "consent": .text(purpose.rawValue)])
    }
  }

  /// Asks identity if the read model knows of no consent: a user who has just consented may be faster than the event that reports it. Call
  /// this before the transaction that calls ``requireConsent(_:of:in:)``.
  public static func catchUp(on purpose: ConsentPurpose, _ call: AccountCall) async throws {
    let account = call.account
    if try call.store.lookUp({ try hasConsent(purpose, of: account, in: $0) }) { return }
    _ = try await fetch(LookUpAccount.Input(accountID: account), call)
  }

  /// Whether the account consents, as far as the read model knows.
  public static func hasConsent(_ purpose: ConsentPurpose, of account: AccountID, in database: Database) throws -> Bool {
    try consents(of: account, in: database).contains(purpose)
  }

  /// The SQL condition that an account consents.
  ///
  /// - Parameter table: the name of `accounts` in the query.
  public static func hasConsent(_ purpose: ConsentPurpose, _ table: String) -> String {
    "(' ' || \(table).consents || ' ' LIKE '% \(purpose.rawValue) %')"
  }

  static func consents(of account: AccountID, in database: Database) throws -> Set<ConsentPurpose> {
    let text = try database.first("SELECT consents FROM accounts WHERE account_id = ?", .id(account)) { $0.text(0) }
    return consents(in: text ?? "")
  }

  /// The purposes from their stored form; a purpose that this version of the program does not know is ignored.
  static func consents(in text: String) -> Set<ConsentPurpose> {
    Set(text.split(separator: " ").compactMap { ConsentPurpose(rawValue: String($0)) })
  }

  static func text(of consents: [ConsentPurpose]) -> String {
    Set(consents).map(\.rawValue).sorted().joined(separator: " ")
  }
}
