public import Logging
public import Operations
public import Sandbox
import Workers

/// Makes pictures out of what people send, one at a time, in which accounts take turns. It is done by a process of its own, see
/// ``PictureDecoder``, for which a thread of its own waits.
public struct PictureProcessor: Sendable {
  private let pool: WorkerPool
  private let decoder: KeptDecoder

  /// - Parameters:
  ///   - program: see `DecoderProcess`.
  ///   - maxWaiting: how many pictures may wait; the rest is refused with `overloaded`.
  ///   - maxWaitingPerAccount: how many of one account may, beside the one that is made; the rest is refused with `rate_limited`.
  public init(
    program: String = DecoderProgram.own, logger: Logger, maxWaiting: Int = 16, maxWaitingPerAccount: Int = 2
  ) {
    pool = WorkerPool(
      label: "racha.pictures", threads: 1, maxWaiting: maxWaiting, maxWaitingPerAccount: maxWaitingPerAccount)
    decoder = KeptDecoder(PictureDecoder.self, program: program, logger: logger)
  }

  /// Decodes the picture and encodes it anew, upright and without anything else that was in the file.
  ///
  /// The format stays, but for a PNG that is beyond ``Picture/maxBytes`` when it is encoded anew, which becomes a WebP.
  ///
  /// - Parameters:
  ///   - field: the field it came in.
  ///   - account: who sends it.
  /// - Throws: ``Failure``: `invalid_fields` for what is no acceptable picture, `rate_limited`, `overloaded`.
  public func picture(_ bytes: [UInt8], field: String, of account: AccountID) async throws -> Picture {
    do {
      // What the first look refuses waits for nobody.
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
