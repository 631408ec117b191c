import CTurboJPEG

/// JPEG, by libjpeg-turbo's own interface: it returns its errors and writes nothing to the standard error.
enum JPEGCodec {
  /// Decodes a JPEG. The library's warnings, as about data that breaks off, count as damage.
  static func decode(_ bytes: [UInt8], _ header: PictureHeader) throws(PictureFault) -> Canvas {
    guard let decompressor = tjInitDecompress() else { throw .damaged }
    defer { tjDestroy(decompressor) }
    var canvas = Canvas(width: header.width, height: header.height)
    let (width, height, bytesPerRow) = (Int32(canvas.width), Int32(canvas.height), Int32(canvas.bytesPerRow))
    let form = header.isCMYK ? TJPF_CMYK : TJPF_RGBA
    let outcome = canvas.fill { pixels in
      tjDecompress2(
        decompressor, bytes, UInt(bytes.count), pixels.baseAddress, width, bytesPerRow, height, form.rawValue,
        TJFLAG_STOPONWARNING)
    }
    guard outcome == 0 else { throw .damaged }
    if header.isCMYK { canvas.pixels = canvas.pixels.map(colour(inks:)) }
    return canvas
  }

  /// The colour of four inks, each 255 where there is none of it, as every program writes them that writes such files.
  private static func colour(inks: Canvas.Pixel) -> Canvas.Pixel {
    func shade(_ ink: UInt8) -> UInt8 { UInt8(Int(ink) * Int(inks.w) / 255) }
    return Canvas.Pixel(shade(inks.x), shade(inks.y), shade(inks.z), 255)
  }

  /// Encodes it progressively, which takes fewer bytes for the same detail; nil if that fails.
  ///
  /// - Parameter quality: 1...100.
  static func encode(_ canvas: Canvas, quality: Int) -> [UInt8]? {
    guard let compressor = tjInitCompress() else { return nil }
    defer { tjDestroy(compressor) }
    var start: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    defer { tjFree(start) }
    let colours = canvas.isGray ? TJSAMP_GRAY : TJSAMP_420
    let outcome = canvas.read { pixels in
      tjCompress2(
        compressor, pixels.baseAddress, Int32(canvas.width), Int32(canvas.bytesPerRow), Int32(canvas.height), TJPF_RGBA.rawValue,
        &start, &count, Int32(colours.rawValue), Int32(quality), TJFLAG_PROGRESSIVE)
    }
    guard outcome == 0 else { return nil }
    return Array(UnsafeBufferPointer(start: start, count: Int(count)))
  }
}
