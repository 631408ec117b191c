import Operations

/// What an operation's call names, read from its contract.
enum NamedThings {
  /// What says which part of something, and no thing of anybody's.
  private static let parts: Set = ["day", "period", "offset"]

  /// The fields by which a call names something: of its path all but days and the like, of its input those that hold an id or are called
  /// like one, however deep within its documents.
  static func fields(of operation: any Operations.Operation.Type) -> [String] {
    let inPath = (operation.spec.route?.parameters ?? []).filter { !parts.contains($0) }
    return Set(inPath + inputFields(of: operation)).sorted()
  }

  private static func inputFields<O: Operations.Operation>(of _: O.Type) -> [String] {
    var schemas = Schemas()
    _ = schemas.reference(to: O.Input.self)
    return schemas.components.flatMap { component -> [String] in
      guard case .object(let properties)? = component.schema["properties"] else { return [] }
      return properties.filter { isName($0.name) || holdsID($0.value) }.map(\.name)
    } + O.Input.notes.keys.filter(isName)
  }

  private static func isName(_ field: String) -> Bool {
    ["id", "ids", "username", "usernames", "login"].contains(field) || field.hasSuffix("ID") || field.hasSuffix("IDs")
  }

  /// Whether its text is an id, or a list of ids.
  private static func holdsID(_ schema: JSON) -> Bool {
    if schema["format"] == "uuid" { return true }
    return schema["items"].map(holdsID) ?? false
  }
}
