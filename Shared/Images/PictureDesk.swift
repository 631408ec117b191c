import CPNG
public import Operations
import Workers

/// Makes pictures out of what people send, on a thread of its own, on which accounts take turns: one of the most pixels may take a second
/// and 64 MiB.
public struct PictureDesk: Sendable {
  private let pool: WorkerPool

  /// - Parameters:
  ///   - maxWaiting: how many pictures may wait; the rest is refused with `overloaded`.
  ///   - maxWaitingPerAccount: how many of one account may, beside the one that is made; the rest is refused with `rate_limited`.
  public init(threads: Int = 1, maxWaiting: Int = 16, maxWaitingPerAccount: Int = 2) {
    pool = WorkerPool(
      label: "racha.pictures", threads: threads, maxWaiting: maxWaiting, maxWaitingPerAccount: maxWaitingPerAccount)
  }

  /// Decodes the picture and encodes it anew, upright and without anything else that was in the file.
  ///
  /// The format stays, but for a PNG that is beyond ``Picture/mostBytes`` when it is encoded anew, which becomes a WebP.
  ///
  /// - Parameters:
  ///   - field: the field it came in.
  ///   - account: who sends it.
  /// - Throws: ``Failure``: `invalid_fields` for what is no acceptable picture, `rate_limited`, `overloaded`.
  public func picture(_ bytes: [UInt8], field: String, of account: AccountID) async throws -> Picture {
    do {
      // What the first look refuses waits for nobody.
      let header = try Self.look(at: bytes)
      return try await pool.run(for: account) {
        // Else glibc would keep what a large picture took.
        defer { malloc_trim(0) }
        return try Drawing(bytes, header).picture()
      }
    } catch let fault as PictureFault {
      throw Failure.field(field, fault.rule)
    }
  }

  static func look(at bytes: [UInt8]) throws(PictureFault) -> PictureHeader {
    guard bytes.count <= Picture.mostBytes else { throw .tooLarge }
    return try PictureHeader.read(bytes)
  }
}
