import Operations
import Testing

@testable import Images

@Suite("Damaged pictures (ID-11)")
struct DamageTests {
  static let names = [
    "orientation-6.jpg", "progressive.jpg", "cmyk.jpg", "cmyk-progressive.jpg", "gray.jpg", "wide.jpg", "text.png", "turned.png",
    "palette.png", "clear-palette.png", "clear-gray.png", "bits.png", "deep-clear.png", "interlaced-clear.png", "linear.png",
    "turned.webp", "lossy.webp", "lossless.webp", "clear-lossy.webp",
  ]

  /// Takes it or refuses it within the limits; anything else ends the test, or its process.
  ///
  /// - Returns: whether it was taken.
  private func isTaken(_ bytes: [UInt8]) -> Bool {
    do throws(PictureFault) {
      let picture = try Drawing(bytes, PictureProcessor.look(at: bytes)).picture()
      #expect(picture.bytes.count <= Picture.maxBytes)
      #expect(max(picture.width, picture.height) <= Picture.maxPixels)
      return true
    } catch {
      return false
    }
  }

  @Test("Pictures cut off anywhere are refused", arguments: names)
  func brokenOff(name: String) throws {
    let sound = try Fixture.bytes(name)
    #expect(isTaken(sound))
    for count in sound.indices {
      let isTaken = isTaken(Array(sound.prefix(count)))
      #expect(!isTaken, "\(count) bytes")
    }
  }

  @Test("Pictures with damaged bytes are refused or accepted within the limits", arguments: names)
  func anywhere(name: String) throws {
    let sound = try Fixture.bytes(name)
    var chance = Chance()
    for _ in 0..<300 {
      var bytes = sound
      for _ in 0...chance.below(4) { bytes[chance.below(bytes.count)] = UInt8(chance.below(256)) }
      if chance.below(4) == 0 { bytes.removeLast(chance.below(bytes.count)) }
      _ = isTaken(bytes)
    }
  }

  @Test(
    "Pictures with damage that only the decoder can notice are refused or accepted within the limits",
    arguments: names.filter { $0.hasSuffix(".png") })
  func mended(name: String) throws {
    let sound = try PNGChunk.all(of: try Fixture.bytes(name))
    var chance = Chance()
    for _ in 0..<300 {
      var chunks = sound
      for _ in 0...chance.below(3) {
        let index = chance.below(chunks.count)
        if chance.below(6) == 0 {
          chunks[index].content.removeLast(chance.below(chunks[index].content.count + 1))
        } else if !chunks[index].content.isEmpty {
          chunks[index].content[chance.below(chunks[index].content.count)] = UInt8(chance.below(256))
        }
      }
      if chance.below(8) == 0 { chunks.swapAt(chance.below(chunks.count), chance.below(chunks.count)) }
      _ = isTaken(PNGChunk.file(chunks))
    }
  }

  @Test("Pictures cut off within their image data are refused, even if everything around it is right")
  func brokenOffInside() throws {
    for name in ["text.png", "interlaced-clear.png", "palette.png"] {
      var chunks = try PNGChunk.all(of: try Fixture.bytes(name))
      let pixels = try #require(chunks.firstIndex { $0.kind == "IDAT" })
      chunks[pixels].content.removeLast(chunks[pixels].content.count / 2)
      #expect(!isTaken(PNGChunk.file(chunks)), "\(name)")
    }
    for name in ["orientation-1.jpg", "cmyk.jpg", "progressive.jpg"] {
      #expect(!isTaken(try Fixture.bytes(name).dropLast(22) + [0xFF, 0xD9]), "\(name)")
    }
    for name in ["lossy.webp", "lossless.webp"] {
      let bytes = try Fixture.bytes(name)
      let cut = (bytes.count - 20) / 4 * 2
      let left = Array(bytes.dropLast(cut))
      #expect(
        !isTaken(left.replacing(at: 4, with: [UInt8(left.count - 8)]).replacing(at: 16, with: [UInt8(left.count - 20)])),
        "\(name)")
    }
  }
}

/// The same chances in every run.
private struct Chance {
  private var seed: UInt64 = 0x9E37_79B9_7F4A_7C15

  mutating func below(_ bound: Int) -> Int {
    seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(seed >> 33) % bound
  }
}
