import CMalloc
import Operations
public import Sandbox

/// Makes pictures in a process of its own, see ``SandboxedDecoder``: the request is the file, the reply the picture or what is wrong with
/// it.
public struct PictureDecoder: SandboxedDecoder {
  public static let name = "pictures"

  /// A picture of the most pixels takes some 64 MiB, and a second.
  public static let bounds = DecoderBounds(
    maxMemoryBytes: 256 << 20, maxProcessorSeconds: 600, maxRequestBytes: ContentLimits.maxPhotoBytes + limitBytes,
    maxReplyBytes: ContentLimits.maxPhotoBytes + 64)

  private static let limitBytes = 4

  /// A request to make a picture from a file. The process knows no settings, so the file follows the limit for the picture's size.
  static func request(_ file: [UInt8]) -> [UInt8] {
    withUnsafeBytes(of: UInt32(Picture.maxBytes).littleEndian) { Array($0) } + file
  }

  /// How long one picture may take, on a busy machine.
  static let maxTime = Duration.seconds(8)

  public static func prepare() {}

  public init(file: Int32?) {}

  public func reply(to request: [UInt8]) -> [UInt8] {
    // Otherwise glibc would keep the memory that a large picture took.
    defer { malloc_trim(0) }
    var limits = ContentLimits.current
    limits.photoBytes = Int(request.prefix(Self.limitBytes).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    ContentLimits.set(limits)
    let file = Array(request.dropFirst(Self.limitBytes))
    var reply = ByteWriter(reserving: Picture.maxBytes + 64)
    do throws(PictureFault) {
      let picture = try Drawing(file, PictureProcessor.look(at: file)).picture()
      reply.flag(true)
      reply.byte(UInt8(PictureFormat.allCases.firstIndex(of: picture.format) ?? 0))
      reply.short(picture.width)
      reply.short(picture.height)
      reply.bytes(picture.bytes)
    } catch {
      reply.flag(false)
      reply.byte(UInt8(PictureFault.allCases.firstIndex(of: error) ?? 0))
    }
    return reply.bytes
  }

  /// Decodes a reply.
  ///
  /// - Parameter header: the header of the file that was sent: the picture has its size, upright.
  /// - Throws: ``DecoderFault/malformed`` if the picture does not match its own header, or has another size.
  static func picture(_ reply: [UInt8], of header: PictureHeader) throws(DecoderFault) -> Result<Picture, PictureFault> {
    var reader = ByteReader(reply)
    guard try reader.flag() else {
      let fault = PictureFault.allCases[try reader.choice(of: PictureFault.allCases.count)]
      try reader.end()
      return .failure(fault)
    }
    let format = PictureFormat.allCases[try reader.choice(of: PictureFormat.allCases.count)]
    let (width, height) = (try reader.short(in: 1...Picture.maxPixels), try reader.short(in: 1...Picture.maxPixels))
    let bytes = try reader.bytes(maxCount: Picture.maxBytes)
    try reader.end()
    let isTurned = header.orientation.isTurned
    guard (width, height) == (isTurned ? (header.height, header.width) : (header.width, header.height)) else { throw .malformed }
    let found: PictureHeader
    do throws(PictureFault) { found = try PictureHeader.read(bytes) } catch { throw .malformed }
    guard (found.format, found.width, found.height) == (format, width, height) else { throw .malformed }
    return .success(Picture(format: format, width: width, height: height, bytes: bytes))
  }
}

extension ByteReader {
  /// One of so many choices, counted from 0.
  fileprivate mutating func choice(of count: Int) throws(DecoderFault) -> Int {
    let value = Int(try byte())
    guard value < count else { throw .malformed }
    return value
  }
}
