public import Operations

extension FeatureContract {
  static let socialWeeks = FeatureContract(operations: [GetSocialWeeks.self])
}

/// A time of an account of which its summary tells.
public struct SocialTime: Document, Hashable {
  public var accountID: AccountID
  public var from: Instant
  public var until: Instant

  public init(accountID: AccountID, from: Instant, until: Instant) {
    self.accountID = accountID
    self.from = from
    self.until = until
  }

  public static let notes: Notes = [
    "accountID": "The account.", "from": "When it begins.", "until": "When it ends, exclusive.",
  ]
}

/// Counts the challenges of accounts that friends accepted, and gives the register's latest checkpoint, for weekly summaries (NOT-3).
public enum GetSocialWeeks: OpenOperation {
  public struct Input: Document {
    public var times: [SocialTime]

    public init(times: [SocialTime]) { self.times = times }

    public static let notes: Notes = ["times": Note("The accounts and their periods.", items: 1...50)]
  }

  public struct Output: Document, Hashable {
    /// How many of each account's challenges friends accepted, in the order in which they were asked for.
    public var acceptedChallenges: [Int]
    /// The register's last checkpoint, a signed note; nil before the first.
    public var checkpoint: String?

    public init(acceptedChallenges: [Int], checkpoint: String?) {
      self.acceptedChallenges = acceptedChallenges
      self.checkpoint = checkpoint
    }

    public static let notes: Notes = [
      "acceptedChallenges": "The number of each account's challenges that friends accepted, in the order of the requested ones.",
      "checkpoint": Note(
        "The register's last checkpoint, a signed note (c2sp.org/tlog-checkpoint); absent before the first.",
        length: 1...1_000_000, breaksLines: true),
    ]
  }

  public static let spec = OperationSpec(
    "socialWeeks.get", of: .social, nil, by: .services([.notifications]), effect: .read, requirements: ["NOT-3", "TASK-9"],
    "Returns how many of accounts' challenges friends accepted, and what the register has signed last.")
}
