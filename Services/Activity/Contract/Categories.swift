public import Operations

extension FeatureContract {
  static let categories = FeatureContract(operations: [ListCategories.self])
}

/// The category of an activity. Each has an icon, and a name in every language (key `category.<case>` of the words).
public enum ActivityCategory: String, Choice {
  case health, fitness, nutrition, hydration, sleep, mindfulness, learning, reading, work, finances, home, family, friends,
    hobbies,
    music, nature, screenTime, other

  /// Name of the icon, as in the Lucide set (https://lucide.dev, ISC licence).
  public var icon: String {
    switch self {
    case .health: "heart-pulse"
    case .fitness: "dumbbell"
    case .nutrition: "apple"
    case .hydration: "droplet"
    case .sleep: "moon"
    case .mindfulness: "flower-2"
    case .learning: "graduation-cap"
    case .reading: "book-open"
    case .work: "briefcase"
    case .finances: "piggy-bank"
    case .home: "house"
    case .family: "users"
    case .friends: "message-circle-heart"
    case .hobbies: "palette"
    case .music: "music"
    case .nature: "leaf"
    case .screenTime: "smartphone"
    case .other: "star"
    }
  }
}

/// A category as a person chooses it.
public struct CategoryChoice: Document, Hashable {
  /// The category.
  public var category: ActivityCategory
  /// Its name in the caller's language.
  public var name: String
  /// Name of its icon.
  public var icon: String

  /// The choice from its parts.
  public init(category: ActivityCategory, name: String, icon: String) {
    self.category = category
    self.name = name
    self.icon = icon
  }

  public static let notes: Notes = [
    "category": "The category.", "name": Note("Its name in the caller's language.", example: "Hydration"),
    "icon": Note("Name of its icon, as in the Lucide set.", example: "droplet"),
  ]
}

/// Lists the categories to choose from.
public enum ListCategories: AccountOperation {
  public typealias Input = Empty
  public typealias Output = Page<CategoryChoice>

  public static let spec = OperationSpec(
    "activityCategories.list", of: .activity, .get("/v1/activity-categories"), by: .account, effect: .read,
    requirements: ["ACT-1"],
    "Lists the categories of activities with their icons, named in the caller's language.")
}
