/// A JSON value passed on as it was written: checked to be strict JSON together with its enclosing document, but not read.
///
/// Only for use between services, such as the documents of events inside a page of a log; the schema recorder does not support it.
public struct RawJSON: Codable, Hashable, Sendable {
  /// The value's text.
  public let bytes: [UInt8]

  /// - Parameter bytes: one JSON value; it is written without being checked again.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  public init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      .init(codingPath: decoder.codingPath, debugDescription: "only the strict decoder hands text on"))
  }

  public func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      self, .init(codingPath: encoder.codingPath, debugDescription: "only the documents' encoder hands text on"))
  }
}
