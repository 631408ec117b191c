import NIOCore

/// What a JSON-RPC client sends, as it arrives.
enum RPCInput: Sendable {
  /// One line, without its end.
  case line(ByteBuffer)
  /// The number of empty lines in a row.
  case blank(Int)
}

/// Separates lines, which end with LF or CRLF; runs of blank ones in one go, since nothing else about them is worth any work.
final class LineDecoder: ByteToMessageDecoder {
  typealias InboundOut = RPCInput

  /// The line that is arriving takes more than there is room for.
  struct NoRoom: Error {}

  private let held: HeldBytes
  /// Bytes of the line that were looked through before.
  private var scanned = 0

  init(_ held: HeldBytes) { self.held = held }

  func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
    let (blank, length) = scanned > 0 ? (0, 0) : LineDecoder.blankLines(buffer.readableBytesView)
    if blank > 0 {
      buffer.moveReaderIndex(forwardBy: length)
      context.fireChannelRead(LineDecoder.wrapInboundOut(.blank(blank)))
      return .continue
    }
    let view = buffer.readableBytesView
    guard let end = view.dropFirst(scanned).firstIndex(of: UInt8(ascii: "\n")) else {
      scanned = view.count
      guard held.set(.line, to: HeldBytes.copies * view.count) else { throw NoRoom() }
      return .needMoreData
    }
    scanned = 0
    let count = end - view.startIndex
    guard var line = buffer.readSlice(length: count) else { return .needMoreData }
    buffer.moveReaderIndex(forwardBy: 1)
    if line.readableBytesView.last == UInt8(ascii: "\r") { line.moveWriterIndex(to: line.writerIndex - 1) }
    // One whose end arrived in two pieces was not among those that were separated.
    context.fireChannelRead(LineDecoder.wrapInboundOut(line.readableBytes == 0 ? .blank(1) : .line(line)))
    return .continue
  }

  func decodeLast(context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool) throws -> DecodingState {
    while try decode(context: context, buffer: &buffer) == .continue {}
    // What never ended is no line.
    return .needMoreData
  }

  /// How many blank lines the bytes begin with, and how many bytes those are.
  static func blankLines(_ bytes: ByteBufferView) -> (lines: Int, bytes: Int) {
    var lines = 0
    let length = bytes.withUnsafeBytes { bytes in
      var position = 0
      while position < bytes.count {
        if bytes[position] == UInt8(ascii: "\n") {
          position += 1
        } else if bytes[position] == UInt8(ascii: "\r"), position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "\n") {
          position += 2
        } else {
          break
        }
        lines += 1
      }
      return position
    }
    return (lines, length)
  }
}

@available(*, unavailable)
extension LineDecoder: Sendable {}
