import Foundation
import Operations
import Testing

@testable import Images

@Suite("Pictures (ID-11)")
struct PictureTests {
  private let desk = PictureDesk()

  private func picture(_ name: String) async throws -> Picture {
    try await desk.picture(try Fixture.bytes(name), field: "content")
  }

  @Test(
    "of each kind are taken, by what they are, and given in their format",
    arguments: [
      ("orientation-1.jpg", PictureFormat.jpeg), ("progressive.jpg", .jpeg), ("cmyk.jpg", .jpeg), ("text.png", .png),
      ("palette.png", .png), ("lossy.webp", .webp), ("lossless.webp", .webp),
    ])
  func kinds(name: String, format: PictureFormat) async throws {
    let picture = try await picture(name)
    #expect(picture.format == format && picture.isUpright)
    #expect(try PictureHeader.read(picture.bytes) == PictureHeader(format: format, width: 48, height: 32))
  }

  @Test("without colour keep their shades", arguments: ["gray.jpg", "bits.png", "deep.png"])
  func shades(name: String) async throws {
    let picture = try await picture(name)
    #expect((picture.width, picture.height) == (48, 32))
    #expect(picture.colour(6, 5) != picture.colour(40, 26) || name != "gray.jpg")
  }

  @Test("that are half transparent stay so", arguments: ["clear.png", "clear.webp"])
  func transparent(name: String) async throws {
    let picture = try await picture(name)
    #expect((60...67).contains(picture.transparency(6, 5)))
  }

  @Test("stand upright, however the camera was held", arguments: 1...8)
  func orientations(orientation: Int) async throws {
    let bytes = try Fixture.bytes("orientation-\(orientation).jpg")
    #expect(try PictureHeader.read(bytes).orientation.rawValue == orientation)
    #expect(try await desk.picture(bytes, field: "content").isUpright)
  }

  @Test(
    "lose where and when they were taken, comments, and what lies behind their end",
    arguments: [
      "orientation-1.jpg", "orientation-6.jpg", "turned.png", "turned.webp", "text.png",
    ])
  func metadata(name: String) async throws {
    let bytes = try Fixture.bytes(name)
    #expect(bytes.contains(Fixture.planted))
    // A file of two kinds at once: what follows the picture's end.
    let picture = try await desk.picture(bytes + Array("<script>\(Fixture.planted)</script>".utf8), field: "content")
    #expect(picture.isUpright)
    for trace in [Fixture.planted, "Exif", "EXIF", "eXIf", "tEXt", "iTXt", "GPS", "script", "xmp"] {
      #expect(!picture.bytes.contains(trace), "\(trace)")
    }
  }

  @Test("that would be larger when they are encoded anew lose some of their detail instead")
  func within() async throws {
    let noise = try Fixture.bytes("noise.png")
    #expect(noise.count <= Picture.mostBytes)
    let picture = try await desk.picture(noise, field: "content")
    #expect(picture.bytes.count <= Picture.mostBytes && (picture.width, picture.height) == (716, 716))
    #expect(picture.format != .jpeg)
  }

  /// What is sent in place of a picture, and what is said to it.
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

  @Test("are refused with what is wrong with them", arguments: hostile)
  func refused(hostile: Hostile) async throws {
    let bytes = try hostile.bytes()
    do {
      let taken = try await desk.picture(bytes, field: "content")
      Issue.record("taken as \(taken.format), \(taken.width) x \(taken.height)")
    } catch let failure as Failure {
      #expect(failure.code == "invalid_fields")
      #expect(failure.fields == [FieldProblem(field: "content", hostile.fault.rule)])
    }
  }

  @Test("that cost much are refused before they cost it")
  func bombs() throws {
    // By the header alone: none of these is decoded.
    for name in ["moving.webp", "moving.png", "still.gif"] {
      let bytes = try Fixture.bytes(name)
      #expect(throws: PictureFault.self) { try PictureDesk.look(at: bytes) }
    }
    let wide = try Fixture.bytes("text.png").replacing(at: 16, with: [0, 0, 0xEA, 0x60])
    #expect(throws: PictureFault.tooWide) { try PictureDesk.look(at: wide) }
  }

  @Test(
    "that are damaged anywhere are refused or taken within the limits, and harm nothing",
    arguments: [
      "orientation-6.jpg", "progressive.jpg", "cmyk.jpg", "text.png", "palette.png", "deep.png", "turned.webp", "lossless.webp",
    ])
  func damaged(name: String) async throws {
    let sound = try Fixture.bytes(name)
    var seed: UInt64 = 0x9E37_79B9_7F4A_7C15
    func random(_ bound: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % bound
    }
    for _ in 0..<60 {
      var bytes = sound
      for _ in 0...random(4) { bytes[random(bytes.count)] = UInt8(random(256)) }
      if random(4) == 0 { bytes.removeLast(random(bytes.count)) }
      do {
        let picture = try await desk.picture(bytes, field: "content")
        #expect(picture.bytes.count <= Picture.mostBytes)
        #expect(max(picture.width, picture.height) <= Picture.mostPixels)
      } catch let failure as Failure {
        #expect(failure.code == "invalid_fields")
      }
    }
  }

  @Test("have words for everything that can be wrong with them, in both languages")
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
