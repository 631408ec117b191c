import CGatewayWords
public import Operations

extension Contract {
  /// The words of what the gateway itself says; it owns no data and so no operations.
  public static let gateway = Contract(
    .gateway, operations: [], events: [], words: [.init(en: [UInt8](gateway_words_en), es: [UInt8](gateway_words_es))])
}
