public import Operations

extension Contract {
  /// What identity shows the other services and the clients.
  public static let identity = Contract(
    .identity, operations: [], events: [], words: [.init(en: PackageResources.en_json, es: PackageResources.es_json)])
}
