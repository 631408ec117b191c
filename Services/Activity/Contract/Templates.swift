public import Operations

extension FeatureContract {
  static let templates = FeatureContract(operations: [ListTemplates.self])
}

/// A prepared activity: a client sends its ``activity`` to `activities.create`, with any field changed (ACT-2).
public struct ActivityTemplate: Document {
  /// Names the template.
  public var id: String
  /// The input for `activities.create`.
  public var activity: CreateActivity.Input

  /// A template from its parts.
  public init(id: String, activity: CreateActivity.Input) {
    self.id = id
    self.activity = activity
  }

  public static let notes: Notes = [
    "id": Note("Id of the template.", example: "water"), "activity": "An input for `activities.create`, to be changed at will.",
  ]
}

/// Lists the templates for activities, by category.
public enum ListTemplates: AccountOperation {
  /// Which templates.
  public struct Input: Document, Hashable {
    /// Only templates of this category.
    public var category: ActivityCategory?

    /// The input from its parts.
    public init(category: ActivityCategory? = nil) { self.category = category }

    public static let notes: Notes = ["category": "Only those of this category."]
  }

  public typealias Output = Page<ActivityTemplate>

  public static let spec = OperationSpec(
    "activityTemplates.list", of: .activity, .get("/v1/activity-templates"), by: .account, effect: .read, requirements: ["ACT-2"],
    "Lists the templates of activities by category, in the caller's language.")
}
