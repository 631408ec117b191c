public import Operations

extension FeatureContract {
  static let movementSources = FeatureContract(operations: [ListMovementSources.self, ReorderMovementSources.self])
}

/// A program and device that measured movement for an account, or manual input.
public struct MovementSource: Document, Hashable {
  /// The program; absent where samples name none.
  public var source: String?
  /// The device; absent where samples name none.
  public var device: String?
  /// Whether its samples were typed in by hand; nil for no.
  public var isHandTyped: Bool?

  /// A source from its parts.
  public init(source: String? = nil, device: String? = nil, isHandTyped: Bool? = nil) {
    self.source = source
    self.device = device
    self.isHandTyped = isHandTyped
  }

  public static let notes: Notes = [
    "source": Note("The program that measured; absent if the samples name none.", length: 1...64, example: "com.apple.health"),
    "device": Note("The device that measured; absent if the samples name none.", length: 1...64, example: "Watch6,2"),
    "isHandTyped": "Whether its samples were typed in by hand.",
  ]
}

/// The sources of an account, by priority.
public struct MovementSourceOrder: Document, Hashable {
  /// Each source once, highest priority first; where several measured the same time, the first of them counts.
  public var sources: [MovementSource]
  /// Whether the account chose the order.
  public var isChosen: Bool

  /// The maximum number of sources of an account.
  public static let maxSources = 100

  /// An order from its parts.
  public init(sources: [MovementSource], isChosen: Bool) {
    self.sources = sources
    self.isChosen = isChosen
  }

  public static let notes: Notes = [
    "sources": "Each source once; where several measured the same time, the first of them counts.",
    "isChosen":
      "Whether the account chose the order; otherwise watches come first, then phones, then others, and last what was typed in.",
  ]
}

/// Lists the account's sources of movement, by priority (MOVE-1).
public enum ListMovementSources: AccountOperation {
  public typealias Input = Empty
  public typealias Output = MovementSourceOrder

  public static let spec = OperationSpec(
    "movementSources.list", of: .activity, .get("/v1/movement-sources"), by: .account, effect: .read, requirements: ["MOVE-1"],
    "Lists the sources of the caller's movement in order; where several measured the same time, the first of them counts.")
}

/// Sets the priority of the account's sources, for times that several measured (MOVE-1). The days affected are counted again soon after.
public enum ReorderMovementSources: AccountOperation {
  /// The order.
  public struct Input: Document {
    /// Sources of the account, each at most once; sources that are left out follow in their default order. An empty list restores the
    /// default.
    public var sources: [MovementSource]

    /// The input from its parts.
    public init(sources: [MovementSource]) { self.sources = sources }

    public static let notes: Notes = [
      "sources": Note(
        "Sources of the account by priority, each at most once; those left out follow in their usual order.",
        items: 0...MovementSourceOrder.maxSources)
    ]

    public func check(_ fields: inout FieldChecks) {
      var seen: Set<MovementSource> = []
      for (index, source) in sources.enumerated() {
        var source = source
        source.isHandTyped = source.isHandTyped == true
        fields.expect(seen.insert(source).inserted, "sources[\(index)]", FieldRule("repeated_source"))
      }
    }
  }

  public typealias Output = MovementSourceOrder

  /// The rule for a source of which the account has no samples.
  public static let unknownSource = FieldRule("unknown_source")

  public static let spec = OperationSpec(
    "movementSources.reorder", of: .activity, .put("/v1/movement-sources/order"), by: .account, effect: .write,
    requirements: ["MOVE-1"],
    "Sets which source counts where several measured the same time; the days concerned are recalculated shortly after.")
}
