public import Operations

extension Contract {
  /// What activity shows the other services and the clients.
  public static let activity = Contract(
    .activity, operations: [], events: [], words: [.init(en: PackageResources.en_json, es: PackageResources.es_json)])
}
