import CPNG

/// PNG, by libpng's simplified interface: it returns its errors, and prints no warnings.
enum PNGCodec {
  static func decode(_ picture: [UInt8], _ header: PictureHeader) throws(PictureFault) -> Canvas {
    var canvas = Canvas(width: header.width, height: header.height)
    let isDecoded = essence(of: picture).withUnsafeBytes { bytes in
      var image = png_image()
      image.version = UInt32(PNG_IMAGE_VERSION)
      defer { png_image_free(&image) }
      guard png_image_begin_read_from_memory(&image, bytes.baseAddress, bytes.count) != 0,
        image.width == canvas.width, image.height == canvas.height
      else { return false }
      image.format = Form.colour | Form.alpha
      // Without it, 16 bits a sample would be taken for linear light, and all shades come out too bright.
      image.flags |= UInt32(PNG_IMAGE_FLAG_16BIT_sRGB)
      return canvas.fill { png_image_finish_read(&image, nil, $0.baseAddress, 0, nil) != 0 }
    }
    guard isDecoded else { throw .damaged }
    return canvas
  }

  /// The file with only the chunks that make up the picture.
  ///
  /// Texts and colour profiles may unpack to a thousand times their size, so they never reach the decoder.
  static func essence(of picture: [UInt8]) -> [UInt8] {
    let bytes = Bytes(picture)
    var (essence, position) = (Array(picture.prefix(8)), 8)
    while let length = bytes.number(at: position, bytes: 4), bytes.slice(position + 8, length + 4) != nil {
      // A small letter in front says that a picture can be shown without the chunk.
      let isCritical = picture[position + 4] & 0x20 == 0
      if isCritical || ["gAMA", "sRGB", "tRNS"].contains(where: { bytes.has($0, at: position + 4) }) {
        essence += picture[position..<(position + 12 + length)]
      }
      position += 12 + length
    }
    return essence
  }

  /// Encodes it losslessly; nil if the result exceeds ``Picture/maxBytes``, or if encoding fails.
  static func encode(_ canvas: Canvas) -> [UInt8]? {
    let form = Form(canvas)
    var image = png_image()
    image.version = UInt32(PNG_IMAGE_VERSION)
    image.width = UInt32(canvas.width)
    image.height = UInt32(canvas.height)
    image.format = form.format
    image.colormap_entries = UInt32(form.colours.count)
    defer { png_image_free(&image) }
    let bytes = [UInt8](unsafeUninitializedCapacity: Picture.maxBytes) { buffer, count in
      var size = Picture.maxBytes
      let isEncoded = form.colours.withUnsafeBytes {
        png_image_write_to_memory(&image, buffer.baseAddress, &size, 0, form.samples, 0, $0.baseAddress) != 0
      }
      count = isEncoded ? size : 0
    }
    return bytes.isEmpty ? nil : bytes
  }

  /// A picture in the narrowest of the forms that PNG has for its pixels.
  private struct Form {
    static let alpha = UInt32(PNG_FORMAT_FLAG_ALPHA)
    static let colour = UInt32(PNG_FORMAT_FLAG_COLOR)
    static let palette = UInt32(PNG_FORMAT_FLAG_COLORMAP)

    private(set) var format: UInt32 = 0
    private(set) var samples: [UInt8] = []
    /// The palette, if samples are indexes into one.
    private(set) var colours: [Canvas.Pixel] = []

    init(_ canvas: Canvas) {
      let (isGray, isOpaque) = (canvas.isGray, canvas.isOpaque)
      // Up to 16 colours go several to a byte; beyond that, shades are better encoded by how they differ from their neighbours.
      if let (colours, indexes) = Self.palette(of: canvas.pixels), colours.count <= 16 || !isGray {
        (format, samples, self.colours) = (Self.palette | Self.colour | Self.alpha, indexes, colours)
        return
      }
      format = (isGray ? 0 : Self.colour) | (isOpaque ? 0 : Self.alpha)
      samples.reserveCapacity(canvas.pixels.count * 4)
      for pixel in canvas.pixels {
        samples.append(pixel.x)
        if !isGray {
          samples.append(pixel.y)
          samples.append(pixel.z)
        }
        if !isOpaque { samples.append(pixel.w) }
      }
    }

    /// The colours, and the index of each pixel's colour among them; nil for more than a palette holds.
    private static func palette(of pixels: [Canvas.Pixel]) -> (colours: [Canvas.Pixel], indexes: [UInt8])? {
      var colours: [Canvas.Pixel] = []
      var known: [Canvas.Pixel: UInt8] = [:]
      var indexes: [UInt8] = []
      indexes.reserveCapacity(pixels.count)
      var last: (colour: Canvas.Pixel, index: UInt8)?
      for pixel in pixels {
        if let last, last.colour == pixel {
          indexes.append(last.index)
          continue
        }
        if known[pixel] == nil {
          guard colours.count < 256 else { return nil }
          known[pixel] = UInt8(colours.count)
          colours.append(pixel)
        }
        let index = known[pixel, default: 0]
        indexes.append(index)
        last = (pixel, index)
      }
      return (colours, indexes)
    }
  }
}
