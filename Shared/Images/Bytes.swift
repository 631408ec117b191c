/// Reads numbers out of a file, which may end anywhere.
struct Bytes {
  private let all: ArraySlice<UInt8>

  init(_ bytes: some Collection<UInt8>) { all = Array(bytes)[...] }

  private init(slice: ArraySlice<UInt8>) { all = slice }

  var count: Int { all.count }

  subscript(_ index: Int) -> UInt8? { index >= 0 && index < count ? all[all.startIndex + index] : nil }

  /// The bytes at that position; nil if the file ends before.
  func slice(_ start: Int, _ count: Int) -> Bytes? {
    guard start >= 0, count >= 0, start <= self.count - count else { return nil }
    return Bytes(slice: all[(all.startIndex + start)..<(all.startIndex + start + count)])
  }

  /// Whether the file has that text at that position.
  func has(_ text: String, at start: Int) -> Bool {
    guard let slice = slice(start, text.utf8.count) else { return false }
    return slice.all.elementsEqual(text.utf8)
  }

  /// The whole number of `bytes` bytes at that position; nil if the file ends before.
  func number(at start: Int, bytes: Int, isLittle: Bool = false) -> Int? {
    guard let slice = slice(start, bytes) else { return nil }
    var number = 0
    for byte in isLittle ? Array(slice.all.reversed()) : Array(slice.all) { number = number << 8 | Int(byte) }
    return number
  }
}
