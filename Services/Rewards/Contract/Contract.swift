public import Operations

extension Contract {
  /// What rewards shows the other services and the clients.
  public static let rewards = Contract(
    .rewards, operations: [], events: [], words: [.init(en: PackageResources.en_json, es: PackageResources.es_json)])
}
