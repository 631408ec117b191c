public import GRDB
import Operations
public import RewardsContract
import ServiceKit
import Storage

/// The members of partners: an account belongs to one at most.
enum PartnerMemberStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "partners' people") { database in
      try database.execute(
        sql: """
          CREATE TABLE partner_members (
            account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
            partner_id BLOB NOT NULL REFERENCES partners (partner_id),
            role TEXT NOT NULL CHECK (role IN ('owner', 'clerk')),
            since INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX partner_members_by_partner ON partner_members (partner_id, since);
          """)
    }
  }

  /// An account's partner and role.
  struct Membership: Hashable, Sendable {
    let partner: PartnerID
    let role: PartnerRole
  }

  /// The account's membership; nil for most accounts.
  static func membership(of account: AccountID, in database: Database) throws -> Membership? {
    try database.first("SELECT partner_id, role FROM partner_members WHERE account_id = ?", .id(account)) {
      Membership(partner: try $0.id(0), role: try $0.choice(1))
    }
  }

  /// Returns the partner that the account owns.
  ///
  /// - Throws: `forbidden` where it owns none: that may have changed since the call was authorised.
  static func partner(ownedBy account: AccountID, in database: Database) throws -> PartnerID {
    guard let membership = try membership(of: account, in: database), membership.role == .owner else {
      throw Failure(RequestFailure.forbidden)
    }
    return membership.partner
  }

  /// Returns the partner to which the account belongs.
  ///
  /// - Throws: `forbidden` where it belongs to none.
  static func partner(of account: AccountID, in database: Database) throws -> PartnerID {
    guard let membership = try membership(of: account, in: database) else { throw Failure(RequestFailure.forbidden) }
    return membership.partner
  }

  /// Whether the account may call operations with this rule.
  static func belongs(_ account: AccountID, _ rule: CallerRule, in database: Database) throws -> Bool {
    guard let membership = try membership(of: account, in: database) else { return false }
    return rule == .partnerClerk || membership.role == .owner
  }

  static func list(of partner: PartnerID, in database: Database) throws -> PartnerMembers {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT m.account_id, m.role, m.since, a.username FROM partner_members m JOIN accounts a USING (account_id)
          WHERE m.partner_id = ? ORDER BY m.since, m.account_id
          """), arguments: [partner])
    return PartnerMembers(
      members: rows.map {
        PartnerMember(accountID: $0["account_id"], username: $0["username"], role: $0["role"], joinedAt: $0["since"])
      })
  }

  static func owners(of partner: PartnerID, in database: Database) throws -> [AccountID] {
    try AccountID.fetchAll(
      database.cachedStatement(
        sql: "SELECT account_id FROM partner_members WHERE partner_id = ? AND role = 'owner' ORDER BY since, account_id"),
      arguments: [partner])
  }

  /// Whether the partner has an owner that is neither suspended nor erased.
  static func hasOwner(
    _ partner: PartnerID, at now: Instant, in database: Database
  ) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: """
        SELECT 1 FROM partner_members m LEFT JOIN accounts a USING (account_id)
        WHERE m.partner_id = :partner AND m.role = 'owner' AND \(Accounts.isShown("a", at: ":now"))
        LIMIT 1
        """)
    let arguments: StatementArguments = ["partner": partner, "now": now]
    return try Row.fetchOne(statement, arguments: arguments) != nil
  }

  static func count(of partner: PartnerID, in database: Database) throws -> Int {
    try database.first("SELECT count(*) FROM partner_members WHERE partner_id = ?", .id(partner)) { $0.number(0) } ?? 0
  }

  /// Gives an account a role, or changes its role at that partner.
  static func add(_ account: AccountID, to partner: PartnerID, _ role: PartnerRole, _ transaction: Transaction) throws {
    try transaction.database.run(
      """
      INSERT INTO partner_members (account_id, partner_id, role, since) VALUES (?, ?, ?, ?)
      ON CONFLICT (account_id) DO UPDATE SET role = excluded.role
      """, .id(account), .id(partner), .text(role.rawValue), .instant(transaction.now))
    try PartnerStore.followOwners(of: partner, transaction)
  }

  static func remove(_ account: AccountID, from partner: PartnerID, _ transaction: Transaction) throws {
    try transaction.database.run("DELETE FROM partner_members WHERE account_id = ?", .id(account))
    try PartnerStore.followOwners(of: partner, transaction)
  }

  /// Removes a member. A partner that is neither approved nor suspended, has sold nothing and has no member left is deleted.
  static func leave(_ account: AccountID, _ partner: PartnerID, _ transaction: Transaction) throws {
    let database = transaction.database
    try database.run("DELETE FROM partner_members WHERE account_id = ?", .id(account))
    guard try count(of: partner, in: database) == 0 else { return try PartnerStore.followOwners(of: partner, transaction) }
    if try PartnerStore.discard(partner, in: database) { return }
    try PartnerStore.followOwners(of: partner, transaction)
    try PartnerStore.forgetContact(partner, in: database)
  }

  /// Throws where the partner would be left without an owner.
  ///
  /// - Throws: `last_partner_owner`.
  static func expectOtherOwner(of partner: PartnerID, than account: AccountID, in database: Database) throws {
    guard try owners(of: partner, in: database).contains(where: { $0 != account }) else { throw PartnerMemberFailure.lastOwner }
  }

  /// Prepares the erasure of a member for its partner, before its role is deleted.
  @Sendable
  static func prepareErasure(_ account: AccountID, _ limit: Int, _ transaction: Transaction) throws -> Int {
    let database = transaction.database
    guard let membership = try membership(of: account, in: database) else { return 0 }
    try leave(account, membership.partner, transaction)
    return 0
  }
}

extension PartnerRole: DatabaseValueConvertible {}
