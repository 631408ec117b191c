import NIOCore
import NIOHTTP1

/// Reads requests with NIO's decoder, and continues after one that asks for another protocol.
///
/// After a request with `Upgrade`, NIO's decoder reads nothing more, as if the connection used the other protocol from then on. The gateway
/// supports none, and answers as if the field were absent (RFC 9110, section 7.8): what follows is the next request, and a new decoder
/// begins with exactly the bytes that the former one left. NIO's decoder determines the length of the request's body as usual.
final class RequestDecoder: ByteToMessageDecoder {
  typealias InboundOut = HTTPServerRequestPart

  private let limits: NIOHTTPDecoderLimitConfiguration
  private var decoder: HTTPRequestDecoder
  /// The request that just ended has stopped the decoder.
  private var hasStopped = false
  private var isDiscarding = false

  /// - Parameter headers: largest request line and fields together, in bytes.
  init(headers: Int) {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = headers
    limits.maxHeaderListSize = headers
    limits.maxHeaderFieldCount = 100
    self.limits = limits
    decoder = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)
  }

  /// Called when a request with ``UpgradeRequest/plain`` has ended: the next one is read by a new decoder.
  func goOn() { hasStopped = true }

  /// From now on, what arrives is ignored.
  func discard() { isDiscarding = true }

  func decoderAdded(context: ChannelHandlerContext) { decoder.decoderAdded(context: context) }

  func decoderRemoved(context: ChannelHandlerContext) { decoder.decoderRemoved(context: context) }

  func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
    while buffer.readableBytes > 0, !isDiscarding {
      do {
        _ = try decoder.decode(context: context, buffer: &buffer)
        guard hasStopped else { return .needMoreData }
        try replace(context)
      } catch {
        fail(error, context)
      }
    }
    if isDiscarding { buffer.moveReaderIndex(to: buffer.writerIndex) }
    return .needMoreData
  }

  func decodeLast(context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool) throws -> DecodingState {
    _ = try decode(context: context, buffer: &buffer)
    guard !isDiscarding else { return .needMoreData }
    do {
      return try decoder.decodeLast(context: context, buffer: &buffer, seenEOF: seenEOF)
    } catch {
      fail(error, context)
      return .needMoreData
    }
  }

  /// - Throws: `HTTPParserError.invalidEOFState` where the former decoder did not stop and is within the next request, whose beginning is
  ///   then unknown.
  private func replace(_ context: ChannelHandlerContext) throws {
    hasStopped = false
    var nothing = ByteBuffer()
    _ = try decoder.decodeLast(context: context, buffer: &nothing, seenEOF: true)
    decoder.decoderRemoved(context: context)
    decoder = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)
    decoder.decoderAdded(context: context)
  }

  /// Reported here rather than thrown, so that what the client still sends does not end the connection before it has read the answer.
  private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
    isDiscarding = true
    context.fireErrorCaught(error)
  }
}

@available(*, unavailable)
extension RequestDecoder: Sendable {}

/// Whether a request asks for another protocol, so that NIO's decoder stops after it.
enum UpgradeRequest {
  case none
  /// It stops.
  case plain
  /// It is unclear: nothing after the request is read.
  case unclear

  /// - Parameter headers: of a request that has the field `Upgrade`.
  init(_ headers: HTTPHeaders) {
    self = .none
    // The decoder takes the second name for the first one.
    for value in headers["Connection"] + headers["Proxy-Connection"] {
      let value = value.lowercased()
      guard value.utf8.contains("upgrade") else { continue }
      // The decoder reads the list in its own way; what it reads in this one way only is beyond doubt.
      let isPlain = value.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: ","), UInt8(ascii: " "): true
        default: false
        }
      }
      let asks = value.utf8.split(separator: UInt8(ascii: ",")).contains { option in
        let words = option.split(separator: UInt8(ascii: " "))
        return words.count == 1 && words[0].elementsEqual("upgrade".utf8)
      }
      guard isPlain, asks else {
        self = .unclear
        return
      }
      self = .plain
    }
  }
}

extension String.UTF8View {
  fileprivate func contains(_ text: StaticString) -> Bool {
    let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    return indices.contains { self[$0...].starts(with: wanted) }
  }
}
