public import Logging
public import Operations
public import Sandbox
import Workers

/// Makes pictures from what people send, one at a time, with accounts taking turns. A process of its own does the work, see
/// ``PictureDecoder``, and a thread of its own waits for it.
public struct PictureProcessor: Sendable {
  private let pool: WorkerPool
  private let decoder: KeptDecoder

  /// - Parameters:
  ///   - program: see `DecoderProcess`.
  ///   - maxWaiting: how many pictures may wait; further ones are refused with `overloaded`.
  ///   - maxWaitingPerAccount: how many of one account may wait besides the one in work; further ones are refused with `rate_limited`.
  public init(
    program: String = DecoderProgram.own, logger: Logger, maxWaiting: Int = 16, maxWaitingPerAccount: Int = 2
  ) {
    pool = WorkerPool(
      label: "racha.pictures", threads: 1, maxWaiting: maxWaiting, maxWaitingPerAccount: maxWaitingPerAccount)
    decoder = KeptDecoder(PictureDecoder.self, program: program, logger: logger)
  }

  /// Decodes the picture and encodes it again, upright and without anything else that was in the file.
  ///
  /// The format stays, except that a PNG which exceeds ``Picture/maxBytes`` when it is encoded again becomes a WebP.
  ///
  /// - Parameters:
  ///   - field: the field that held the picture.
  ///   - account: the account that sends it.
  /// - Throws: ``Failure``: `invalid_fields` for anything but an acceptable picture, `rate_limited`, `overloaded`.
  public func picture(_ bytes: [UInt8], field: String, of account: AccountID) async throws -> Picture {
    do {
      // A picture that is refused by its header need not wait.
      let header = try Self.look(at: bytes)
      return try await pool.run(for: account) { [decoder] in
        try decoder.request(PictureDecoder.request(bytes), within: PictureDecoder.maxTime) { reply throws(DecoderFault) in
          try PictureDecoder.picture(reply, of: header)
        }.get()
      }
    } catch let fault as PictureFault {
      throw Failure.field(field, fault.rule)
    } catch let fault as DecoderFault {
      switch fault {
      // It ended two processes, one after the other.
      case .died, .malformed: throw Failure.field(field, PictureFault.damaged.rule)
      case .timedOut, .ended, .notStarted: throw Failure(RequestFailure.overloaded, retryAfterSeconds: 1)
      }
    }
  }

  static func look(at bytes: [UInt8]) throws(PictureFault) -> PictureHeader {
    guard bytes.count <= Picture.maxBytes else { throw .tooLarge }
    return try PictureHeader.read(bytes)
  }
}
