public import Operations

extension Contract {
  /// What gateway shows the other services and the clients.
  public static let gateway = Contract(
    .gateway, operations: [], events: [], words: [.init(en: PackageResources.en_json, es: PackageResources.es_json)])
}
