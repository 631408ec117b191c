/// The part of an address that identifies one subscriber for limits: an IPv4 address, or the first 64 bits of an IPv6 one.
///
/// An IPv6 line has 2^64 addresses to guess from.
public enum ClientAddress: Hashable, Sendable {
  case v4(UInt32)
  case v6(UInt64)
  /// A text that is not an address, used as it is.
  case other(String)

  public init(_ address: IPAddress) {
    switch address {
    case .v4(let bytes): self = .v4(bytes.reduce(0) { $0 << 8 | UInt32($1) })
    case .v6(let bytes): self = .v6(bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }
  }

  /// - Parameter text: an address without port.
  public init(_ text: String) { self = IPAddress(text).map { ClientAddress($0) } ?? .other(text) }

  /// The input of keyed hashes.
  public var bytes: [UInt8] {
    switch self {
    case .v4(let number): withUnsafeBytes(of: number.bigEndian) { Array($0) }
    case .v6(let number): withUnsafeBytes(of: number.bigEndian) { Array($0) }
    case .other(let text): Array(text.utf8)
    }
  }
}
