import Operations
import SocialContract
import TransparencyLog

/// A recorded event: disclosed in full to the accounts that it concerns, and to all others as a commitment (TASK-9).
struct RegisterRecord: Sendable {
  /// Somebody whom the record concerns, and by what right.
  struct Person: Sendable {
    let account: AccountID
    let role: RegisterRole
  }

  let kind: RegisterKind
  let people: [Person]
  let members: [(name: String, value: CanonicalJSON)]

  /// - Parameters:
  ///   - people: the accounts named in it, which alone can read it.
  ///   - members: the members besides kind, time and people; they must not name an account.
  init(_ kind: RegisterKind, _ people: [Person], _ members: [(name: String, value: CanonicalJSON)]) {
    self.kind = kind
    self.people = people
    self.members = members
  }

  /// The record's canonical JSON, in which each person stands as a commitment.
  func text(at time: Instant, _ commitments: [Commitment]) throws -> String {
    let named = zip(people, commitments).map { person, commitment in
      CanonicalJSON.object([
        ("commitment", .string(commitment.description)), ("role", .string(person.role.rawValue)),
      ])
    }
    return try CanonicalJSON.object(
      members + [
        ("kind", .string(kind.rawValue)), ("people", .array(named)), ("time", .string(time.description)),
      ]
    ).text()
  }

  /// The leaf: what everybody sees of a record.
  static func entry(_ kind: String, at time: Instant, _ commitment: Commitment) throws -> String {
    try CanonicalJSON.object([
      ("commitment", .string(commitment.description)), ("kind", .string(kind)), ("time", .string(time.description)),
    ]).text()
  }

  /// By which a record names an account.
  static func commitment(to account: AccountID, salt: [UInt8]) throws -> Commitment {
    Commitment(try CanonicalJSON.object([("account", .string(account.description))]).text(), salt: salt)
  }
}

extension RegisterRecord {
  static func taskCreated(
    _ task: ID<SharedTask>, _ text: TaskText, by creator: AccountID, with others: [AccountID]
  ) -> RegisterRecord {
    let people = [Person(account: creator, role: .creator)] + others.map { Person(account: $0, role: .participant) }
    return RegisterRecord(
      .taskCreated, people,
      [
        ("task", .string(task.description)), ("name", .string(text.name.description)),
        ("description", text.description.map { .string($0.description) } ?? .null),
        ("dueDay", text.dueDay.map { .string($0.description) } ?? .null),
      ])
  }

  static func completion(_ change: TaskCompletionChange, of task: ID<SharedTask>, by account: AccountID) -> RegisterRecord {
    let kind: RegisterKind =
      switch change {
      case .confirmed: .completionConfirmed
      case .withdrawn: .completionWithdrawn
      }
    return RegisterRecord(
      kind, [Person(account: account, role: .participant)], [("task", .string(task.description))])
  }

  static func attachmentAdded(
    _ attachment: ID<TaskAttachment>, to task: ID<SharedTask>, name: TaskAttachmentName, sha256: FileHash,
    by account: AccountID, isByToken: Bool
  ) -> RegisterRecord {
    RegisterRecord(
      .attachmentAdded, [Person(account: account, role: isByToken ? .tokenMaker : .uploader)],
      [
        ("attachment", .string(attachment.description)), ("task", .string(task.description)),
        ("name", .string(name.description)), ("sha256", .string(sha256.description)),
      ])
  }

  static func teamCreated(
    _ team: ID<Team>, _ name: TeamName, by creator: AccountID, with members: [AccountID]
  ) -> RegisterRecord {
    let people = [Person(account: creator, role: .creator)] + members.map { Person(account: $0, role: .member) }
    return RegisterRecord(
      .teamCreated, people, [("team", .string(team.description)), ("name", .string(name.description))])
  }

  static func teamRenamed(_ team: ID<Team>, _ name: TeamName, members: [AccountID]) -> RegisterRecord {
    RegisterRecord(
      .teamChanged, members.map { Person(account: $0, role: .member) },
      [
        ("team", .string(team.description)), ("change", .string(TeamMembershipChange.renamed.rawValue)),
        ("name", .string(name.description)),
      ])
  }

  /// Somebody came to a team or left it.
  static func teamMember(_ account: AccountID, _ change: TeamMembershipChange, _ team: ID<Team>) -> RegisterRecord {
    RegisterRecord(
      .teamChanged, [Person(account: account, role: .member)],
      [("team", .string(team.description)), ("change", .string(change.rawValue))])
  }

  static func teamHandedOver(_ team: ID<Team>, from owner: AccountID, to member: AccountID) -> RegisterRecord {
    RegisterRecord(
      .teamChanged, [Person(account: owner, role: .formerOwner), Person(account: member, role: .owner)],
      [("team", .string(team.description)), ("change", .string(TeamMembershipChange.handedOver.rawValue))])
  }
}
