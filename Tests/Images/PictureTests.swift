import BuiltPrograms
import Foundation
import Logging
import Operations
import Testing

@testable import Images

@Suite("Pictures (ID-11)")
struct PictureTests {
  private let processor = PictureProcessor(
    program: BuiltProgram.identity, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  private let account = AccountID()

  private func picture(_ name: String) async throws -> Picture {
    try await processor.picture(try Fixture.bytes(name), field: "content", of: account)
  }

  @Test(
    "Pictures of each kind are accepted by their content, and returned in their format",
    arguments: [
      ("orientation-1.jpg", PictureFormat.jpeg), ("progressive.jpg", .jpeg), ("cmyk.jpg", .jpeg), ("cmyk-progressive.jpg", .jpeg),
      ("whole.jpg", .jpeg), ("wide.jpg", .jpeg), ("text.png", .png), ("palette.png", .png), ("interlaced.png", .png),
      ("deep.png", .png), ("deep-clear.png", .png), ("interlaced-clear.png", .png), ("clear.png", .png), ("lossy.webp", .webp),
      ("lossless.webp", .webp), ("clear.webp", .webp), ("clear-lossy.webp", .webp),
    ])
  func kinds(name: String, format: PictureFormat) async throws {
    #expect(try Fixture.bytes(name).canvas().isUpright)
    let picture = try await picture(name)
    #expect(try picture.format == format && picture.bytes.canvas().isUpright)
    #expect(try PictureHeader.read(picture.bytes) == PictureHeader(format: format, width: 48, height: 32))
  }

  @Test("Grayscale pictures keep their shades", arguments: ["gray.jpg", "bits.png", "deep-gray.png"])
  func shades(name: String) async throws {
    let (sent, given) = (try Fixture.bytes(name).canvas(), try await picture(name).bytes.canvas())
    #expect(given.isGray && given.isOpaque && sent[6, 5] != sent[40, 26])
    for (x, y) in [(6, 5), (40, 26)] { #expect(abs(Int(sent[x, y].x) - Int(given[x, y].x)) < 4) }
  }

  @Test(
    "Pictures with 16 bits for each colour, or another gamma, look as they did",
    arguments: [
      ("deep.png", Canvas.Pixel(0xC0, 0x40, 0, 255), Canvas.Pixel(0, 0x40, 0xC0, 255)),
      ("deep-clear.png", Canvas.Pixel(0xC0, 0x40, 0, 128), Canvas.Pixel(0, 0x40, 0xC0, 128)),
      ("interlaced-clear.png", Canvas.Pixel(0xC0, 0x40, 0, 128), Canvas.Pixel(0, 0x40, 0xC0, 128)),
      ("deep-gray.png", Canvas.Pixel(0x40, 0x40, 0x40, 255), Canvas.Pixel(0xC0, 0xC0, 0xC0, 255)),
      // sRGB's curve makes 188 of half the light, and 124 of a fifth (IEC 61966-2-1); a power of 2.2 comes near it.
      ("linear.png", Canvas.Pixel(188, 124, 0, 255), Canvas.Pixel(0, 124, 188, 255)),
    ])
  func colours(name: String, corner: Canvas.Pixel, rest: Canvas.Pixel) async throws {
    let canvas = try await picture(name).bytes.canvas()
    for (seen, expected) in [(canvas[6, 5], corner), (canvas[40, 26], rest)] {
      #expect(seen.indices.allSatisfy { abs(Int(seen[$0]) - Int(expected[$0])) <= 2 }, "\(seen)")
    }
  }

  @Test(
    "Half-transparent pictures stay half-transparent",
    arguments: [
      "clear.png", "clear-gray.png", "clear-palette.png", "deep-clear.png", "interlaced-clear.png", "clear.webp",
      "clear-lossy.webp",
    ])
  func transparent(name: String) async throws {
    let canvas = try await picture(name).bytes.canvas()
    #expect((canvas.width, canvas.height) == (48, 32))
    #expect(canvas.pixels.allSatisfy { (126...130).contains($0.w) })
  }

  @Test("Pictures with few or no colours use no more bytes than needed")
  func narrow() async throws {
    // Byte 25 of a PNG is its kind: 0 shades, 2 colours, 3 a palette, 4 shades and 6 colours that may be clear; 24 has the bits.
    var canvas = Canvas(width: 64, height: 64)
    func form(_ pixel: (Int) -> Canvas.Pixel) throws -> [UInt8] {
      for index in canvas.pixels.indices { canvas.pixels[index] = pixel(index) }
      let bytes = try #require(PNGCodec.encode(canvas))
      #expect(try bytes.canvas().pixels == canvas.pixels)
      return Array(bytes[24...25])
    }
    func byte(_ index: Int) -> UInt8 { UInt8(index % 256) }
    #expect(try form { $0 % 2 == 0 ? Canvas.Pixel(0, 0, 0, 255) : Canvas.Pixel(9, 8, 7, 255) } == [1, 3])
    #expect(try form { Canvas.Pixel(byte($0), 0, 0, byte($0)) } == [8, 3])
    #expect(try form { Canvas.Pixel(byte($0), byte($0), byte($0), 255) } == [8, 0])
    #expect(try form { Canvas.Pixel(byte($0), byte($0), byte($0), byte($0)) } == [8, 4])
    #expect(try form { Canvas.Pixel(byte($0), UInt8($0 / 256), 0, 255) } == [8, 2])
    #expect(try form { Canvas.Pixel(byte($0), UInt8($0 / 256), 0, 7) } == [8, 6])
  }

  @Test("Pictures are turned upright, however the camera was held", arguments: 1...8)
  func orientations(orientation: Int) async throws {
    let bytes = try Fixture.bytes("orientation-\(orientation).jpg")
    #expect(try PictureHeader.read(bytes).orientation.rawValue == orientation)
    #expect(try await processor.picture(bytes, field: "content", of: account).bytes.canvas().isUpright)
  }

  @Test(
    "Pictures lose place, time, comments, and whatever follows their end",
    arguments: [
      "orientation-1.jpg", "orientation-6.jpg", "turned.png", "turned.webp", "text.png",
    ])
  func metadata(name: String) async throws {
    let bytes = try Fixture.bytes(name)
    #expect(bytes.contains(Fixture.planted))
    // A file of two kinds at once: what follows the picture's end.
    let picture = try await processor.picture(
      bytes + Array("<script>\(Fixture.planted)</script>".utf8), field: "content", of: account)
    #expect(try picture.bytes.canvas().isUpright)
    for trace in [Fixture.planted, "Exif", "EXIF", "eXIf", "tEXt", "iTXt", "GPS", "script", "xmp"] {
      #expect(!picture.bytes.contains(trace), "\(trace)")
    }
  }

  @Test("Pictures that would become larger by encoding lose some detail instead")
  func within() async throws {
    let noise = try Fixture.bytes("noise.png")
    #expect(noise.count <= Picture.maxBytes)
    let picture = try await processor.picture(noise, field: "content", of: account)
    #expect(picture.bytes.count <= Picture.maxBytes && (picture.width, picture.height) == (145, 150))
    #expect(picture.format == .webp)
  }

  @Test("JPEG pictures are encoded compactly: progressively, and grayscale without colours")
  func progressive() async throws {
    // The frame's marker, its precision and sides, and its components.
    let coloured = try await picture("orientation-1.jpg").bytes
    #expect(Data(coloured).range(of: Data([0xFF, 0xC2, 0, 17, 8, 0, 32, 0, 48, 3])) != nil)
    let gray = try await picture("gray.jpg").bytes
    #expect(Data(gray).range(of: Data([0xFF, 0xC2, 0, 11, 8, 0, 32, 0, 48, 1])) != nil)
  }

  @Test("Pictures are decoded as PNG without extra chunks, which could unpack to a thousand times their size")
  func essence() throws {
    let bytes = try Fixture.bytes("clear-palette.png")
    let text = PNGChunk("zTXt", Array("Comment\0\0".utf8) + [UInt8](repeating: 7, count: 900))
    let profile = PNGChunk("iCCP", Array("Profile\0\0".utf8) + [UInt8](repeating: 7, count: 900))
    let chunks = try PNGChunk.all(of: bytes)
    let larger = PNGChunk.file(chunks.prefix(1) + [profile, text] + chunks.dropFirst())
    #expect(try PNGChunk.all(of: PNGCodec.essence(of: larger)).map(\.kind) == ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"])
    #expect(try larger.canvas().pixels == bytes.canvas().pixels)
    #expect(PNGCodec.essence(of: bytes) == bytes)
    #expect(try PNGCodec.essence(of: Fixture.bytes("linear.png")).contains("gAMA"))
  }

  @Test("WebP pictures whose EXIF begins with JPEG's identifier are turned upright, too")
  func marked() async throws {
    let bytes = try Fixture.bytes("turned.webp")
    let exif = bytes.position(of: "EXIF")
    let length = Int(bytes[exif + 4]) | Int(bytes[exif + 5]) << 8
    var marked = bytes
    marked.insert(contentsOf: Array("Exif\0\0".utf8), at: exif + 8)
    marked = marked.replacing(at: exif + 4, with: [UInt8((length + 6) % 256), UInt8((length + 6) / 256)])
    let size = marked.count - 8
    marked = marked.replacing(at: 4, with: [UInt8(size % 256), UInt8(size / 256)])
    #expect(try await processor.picture(marked, field: "content", of: account).bytes.canvas().isUpright)
  }

  @Test(
    "Pictures of one account are processed in turn, and an account that sends too many is refused without affecting others"
  )
  func fairness() async throws {
    let processor = PictureProcessor(
      program: BuiltProgram.identity, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, maxWaitingPerAccount: 1)
    let large = try #require(PNGCodec.encode(Canvas(width: 2048, height: 2048)))
    let account = account
    let sent = 12
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<sent {
        group.addTask {
          do {
            _ = try await processor.picture(large, field: "content", of: account)
            return "made"
          } catch let failure as Failure {
            return failure.code
          }
        }
      }
      // The first of them cannot be refused before one is being made and another waits.
      var answers: [String: Int] = [:]
      if let first = try await group.next() { answers[first, default: 0] += 1 }
      #expect(
        try await processor.picture(try Fixture.bytes("text.png"), field: "content", of: AccountID()).format == .png)
      for try await answer in group { answers[answer, default: 0] += 1 }
      #expect(answers["made", default: 0] >= 2 && answers["rate_limited", default: 0] >= 1, "\(answers)")
      #expect(answers.values.reduce(0, +) == sent && answers.count == 2, "\(answers)")
    }
  }

  /// What is sent instead of a picture, and what is said to it.
  struct Hostile: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let fault: PictureFault
    let bytes: @Sendable () throws -> [UInt8]

    init(_ description: String, _ fault: PictureFault, _ bytes: @escaping @Sendable () throws -> [UInt8]) {
      testDescription = description
      self.fault = fault
      self.bytes = bytes
    }
  }

  static let hostile: [Hostile] = [
    Hostile("nothing", .unknown) { [] },
    Hostile("one byte", .unknown) { [0x89] },
    Hostile("text", .unknown) { Array("hello".utf8) },
    Hostile("a page", .unknown) { Array("<!doctype html><script>alert(1)</script>".utf8) },
    Hostile("an SVG with a script", .unknown) {
      Array(#"<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>"#.utf8)
    },
    Hostile("a GIF", .unknown) { try Fixture.bytes("still.gif") },
    Hostile("an animated GIF", .unknown) { try Fixture.bytes("moving.gif") },
    Hostile("a BMP", .unknown) { try Fixture.bytes("still.bmp") },
    Hostile("a TIFF", .unknown) { try Fixture.bytes("still.tiff") },
    Hostile("an icon", .unknown) { try Fixture.bytes("still.ico") },
    Hostile("an animated WebP", .moves) { try Fixture.bytes("moving.webp") },
    Hostile("an animated PNG", .moves) { try Fixture.bytes("moving.png") },
    Hostile("a PNG of a byte too many", .tooLarge) {
      let bytes = try Fixture.bytes("text.png")
      return bytes + [UInt8](repeating: 0, count: 65_537 - bytes.count)
    },
    Hostile("a PNG that says it is 60,000 pixels wide", .tooWide) {
      try Fixture.bytes("text.png").replacing(at: 16, with: [0, 0, 0xEA, 0x60])
    },
    Hostile("a PNG one pixel too high", .tooWide) {
      try Fixture.bytes("text.png").replacing(at: 20, with: [0, 0, 0x08, 0x01])
    },
    Hostile("a PNG without width", .damaged) { try Fixture.bytes("text.png").replacing(at: 16, with: [0, 0, 0, 0]) },
    Hostile("a PNG with 2^31 rows", .tooWide) { try Fixture.bytes("text.png").replacing(at: 20, with: [0x80, 0, 0, 0]) },
    Hostile("a PNG whose check sum is wrong", .damaged) {
      try Fixture.bytes("text.png").replacing(at: 29, with: [0, 0, 0, 0])
    },
    Hostile("a PNG whose header has been widened within the limits", .damaged) {
      try Fixture.bytes("text.png").replacing(at: 16, with: [0, 0, 0x08, 0])
    },
    Hostile("a PNG broken off in its header", .damaged) { Array(try Fixture.bytes("text.png").prefix(20)) },
    Hostile("a PNG broken off in its pixels", .damaged) {
      let bytes = try Fixture.bytes("palette.png")
      return Array(bytes.prefix(bytes.position(of: "IDAT") + 10))
    },
    Hostile("a PNG without pixels", .damaged) {
      let bytes = try Fixture.bytes("text.png")
      return Array(bytes.prefix(33)) + Array(bytes.suffix(12))
    },
    Hostile("a PNG with a chunk of 2^32 - 1 bytes", .damaged) {
      try Fixture.bytes("text.png").replacing(at: 33, with: [0xFF, 0xFF, 0xFF, 0xFF])
    },
    Hostile("a PNG's signature and random bytes", .damaged) {
      Array(try Fixture.bytes("text.png").prefix(8)) + (0..<500).map { UInt8(truncatingIfNeeded: $0 * 167 + 13) }
    },
    Hostile("a JPEG that says it is 65,535 pixels wide", .tooWide) {
      let bytes = try Fixture.bytes("gray.jpg")
      let frame = try #require((0..<bytes.count - 1).first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
      return bytes.replacing(at: frame + 7, with: [0xFF, 0xFF])
    },
    Hostile("a JPEG broken off in its pixels", .damaged) { try Fixture.bytes("orientation-1.jpg").dropLast(40) },
    Hostile("a JPEG without its end", .damaged) { try Fixture.bytes("progressive.jpg").dropLast(2) },
    Hostile("a JPEG of its marks alone", .damaged) { [0xFF, 0xD8, 0xFF, 0xD9] },
    Hostile("a JPEG with a segment shorter than its own length", .damaged) { [0xFF, 0xD8, 0xFF, 0xE1, 0, 1, 0xFF, 0xD9] },
    Hostile("a JPEG with a hundred scans, each of which costs as much as a picture", .damaged) {
      let bytes = try Fixture.bytes("progressive.jpg")
      let scan = try #require((0..<bytes.count - 1).last { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA })
      let last = Array(bytes[scan..<(bytes.count - 2)])
      return Array(bytes.dropLast(2)) + (0..<100).flatMap { _ in last } + [0xFF, 0xD9]
    },
    Hostile("a WebP broken off", .damaged) { try Fixture.bytes("turned.webp").dropLast(30) },
    Hostile("a WebP without a picture", .damaged) { Array("RIFF".utf8) + [4, 0, 0, 0] + Array("WEBP".utf8) },
    Hostile("a WebP that says it is 16,384 pixels wide", .tooWide) {
      try Fixture.bytes("lossless.webp").replacing(at: 21, with: [0xFF, 0x3F])
    },
    Hostile("a WebP whose canvas is smaller than its frame", .damaged) {
      let bytes = try Fixture.bytes("turned.webp")
      return bytes.replacing(at: bytes.position(of: "VP8X") + 12, with: [1, 0, 0])
    },
  ]

  @Test("Invalid pictures are refused with the reason", arguments: hostile)
  func refused(hostile: Hostile) async throws {
    let bytes = try hostile.bytes()
    do {
      let taken = try await processor.picture(bytes, field: "content", of: account)
      Issue.record("taken as \(taken.format), \(taken.width) x \(taken.height)")
    } catch let failure as Failure {
      #expect(failure.code == "invalid_fields")
      #expect(failure.fields == [FieldProblem(field: "content", hostile.fault.rule)])
    }
  }

  @Test("Pictures that would be expensive to decode are refused by their headers")
  func bombs() throws {
    // By the header alone: none of these is decoded.
    for name in ["moving.webp", "moving.png", "still.gif"] {
      let bytes = try Fixture.bytes(name)
      #expect(throws: PictureFault.self) { try PictureProcessor.look(at: bytes) }
    }
    let wide = try Fixture.bytes("text.png").replacing(at: 16, with: [0, 0, 0xEA, 0x60])
    #expect(throws: PictureFault.tooWide) { try PictureProcessor.look(at: wide) }
  }

  @Test("Every fault of a picture has words in both languages")
  func words() {
    let words = Words([])
    for fault in [PictureFault.tooLarge, .unknown, .tooWide, .moves, .damaged] {
      for language in Language.allCases {
        #expect(words.text("field.\(fault.rule.code)", language, fault.rule.parameters)?.contains("{") == false, "\(fault)")
        #expect(words.text("field.\(fault.rule.code).suggestion", language) != nil, "\(fault)")
      }
    }
    #expect(
      words.text("field.picture_too_large", .english, PictureFault.tooLarge.rule.parameters)
        == "The picture has more than 65536 bytes.")
  }
}
