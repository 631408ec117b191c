import CWebP

/// WebP, by libwebp.
enum WebPCodec {
  static func decode(_ bytes: [UInt8], _ header: PictureHeader) throws(PictureFault) -> Canvas {
    var (width, height): (Int32, Int32) = (0, 0)
    guard WebPGetInfo(bytes, bytes.count, &width, &height) != 0, width == header.width, height == header.height
    else { throw .damaged }
    var canvas = Canvas(width: header.width, height: header.height)
    let bytesPerRow = Int32(canvas.bytesPerRow)
    let isDecoded = canvas.fill { pixels in
      WebPDecodeRGBAInto(bytes, bytes.count, pixels.baseAddress, pixels.count, bytesPerRow) != nil
    }
    guard isDecoded else { throw .damaged }
    return canvas
  }

  /// Encodes it with losses, except for opacity; nil if that fails.
  ///
  /// - Parameter quality: 0...100.
  static func encode(_ canvas: Canvas, quality: Int) -> [UInt8]? {
    var start: UnsafeMutablePointer<UInt8>?
    defer { WebPFree(start) }
    let count = canvas.read { pixels in
      WebPEncodeRGBA(
        pixels.baseAddress, Int32(canvas.width), Int32(canvas.height), Int32(canvas.bytesPerRow), Float(quality), &start)
    }
    return count > 0 ? Array(UnsafeBufferPointer(start: start, count: count)) : nil
  }
}
