import Operations

/// By which numbers the rows of a store are known, beside ids.
///
/// A table with a whole number as its key counts for itself; here stand the columns of other tables that hold such a number, and the keys
/// that are made of one.
struct NumberSpaces: Sendable {
  /// A column that holds a number of another table.
  struct Reference: Sendable {
    /// Whose key it is.
    let table: String
    /// How many bits the column has behind that number.
    let shift: Int64

    init(_ table: String, shift: Int64 = 0) {
      self.table = table
      self.shift = shift
    }
  }

  /// By `table.column`.
  let references: [String: Reference]
  /// Tables of which every row is copied, whoever it is of: they are numbered without gaps.
  let whole: Set<String>
  /// Tables of which nothing is copied, since they are made anew of others or are of no account.
  let derived: Set<String>
  /// Texts that begin with a word and a number of another table, a slash behind each.
  let texts: [String: (word: String, table: String)] = ["transfers.reference": ("steps/", "ledger_accounts")]
  /// Ids of something newer than the row, which say nothing about who it is of.
  let pointers: Set<String> = ["ledger_accounts.last_transfer_id"]
  /// Whole numbers that are hashes, and must not be alike between accounts.
  let hashes: Set<String>

  private init(
    _ references: [String: Reference] = [:], whole: Set<String> = [], derived: Set<String> = [], hashes: Set<String> = []
  ) {
    self.references = references
    self.whole = whole
    self.derived = derived
    self.hashes = hashes
  }

  static func of(_ service: ServiceName) -> NumberSpaces {
    switch service {
    case .activity: activity
    case .identity: identity
    case .social: social
    case .rewards: rewards
    default: NumberSpaces()
    }
  }

  private static let activity: NumberSpaces = {
    var references: [String: Reference] = [
      // As `SampleKey` and `CommentKey` make them.
      "movement_samples.position": Reference("movement_accounts", shift: 37),
      "entry_comments.comment_id": Reference("history_accounts", shift: 39),
      "entry_comment_blocks.first_comment": Reference("history_accounts", shift: 39),
    ]
    let ofMovement = [
      "day_sources", "minutes", "samples", "sample_pieces", "series", "sketch_hashes", "sketches", "sources", "stale_days",
    ]
    for table in ofMovement { references["movement_\(table).account_number"] = Reference("movement_accounts") }
    return NumberSpaces(references, hashes: ["movement_series.digest", "movement_sketch_hashes.hash"])
  }()

  private static let identity = NumberSpaces(
    ["register_openings.number": Reference("register_records")], whole: ["register_records"],
    derived: ["directory_suffixes", "incidents", "security_mails"])

  private static let social = NumberSpaces(
    [
      "message_texts.sequence": Reference("messages"), "conversation_sides.last_sequence": Reference("messages"),
      "conversation_sides.read_sequence": Reference("messages"), "conversation_sides.receipt_sequence": Reference("messages"),
      "task_participants.task_sequence": Reference("tasks"), "tasks.confirmation_leaf": Reference("register_leaves"),
      "task_series_participants.series_sequence": Reference("task_series"),
      "register_account_leaves.number": Reference("register_leaves"), "register_records.number": Reference("register_leaves"),
      "register_people.number": Reference("register_leaves"), "register_notices.leaf": Reference("register_leaves"),
    ],
    whole: ["register_leaves", "register_records", "register_account_leaves"],
    derived: ["register_tiles", "register_checkpoints", "team_score_counts", "team_score_bands"])

  private static let rewards = NumberSpaces(
    [
      "transfers.debit_id": Reference("ledger_accounts"), "transfers.credit_id": Reference("ledger_accounts"),
      "coin_lots.ledger_account_id": Reference("ledger_accounts"), "coin_lots.last_number": Reference("transfers"),
      "lot_moves.number": Reference("transfers"), "lot_moves.lot_id": Reference("coin_lots"),
    ], derived: ["leaderboard_counts"])

  /// What every store has for itself.
  static let ofStores: Set<String> = [
    "erasures", "idempotency_draws", "idempotency_records", "outbox", "outbox_subscribers", "store_migrations", "store_states",
    "subscription_cursors",
  ]

  /// Hashes of secrets that must differ, since they are looked up.
  static let secrets: Set<String> = ["token_hash", "parent_hash", "key_hash", "code_hash"]
}
