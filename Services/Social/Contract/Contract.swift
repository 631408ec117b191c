public import Operations

extension Contract {
  /// What social shows the other services and the clients.
  public static let social = Contract(
    .social, operations: [], events: [], words: [.init(en: PackageResources.en_json, es: PackageResources.es_json)])
}
