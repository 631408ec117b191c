public import Operations

extension Contract {
  /// The words of what the gateway itself says; it owns no data and so no operations.
  public static let gateway = Contract(
    .gateway, operations: [], events: [], words: [.init(en: PackageResources.en_json, es: PackageResources.es_json)])
}
