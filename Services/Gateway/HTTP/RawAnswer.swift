import NIOCore
import Operations

extension Endpoint {
  /// The body as the service takes it: JSON as it is, the bytes of a file as the field that they are.
  func json(_ body: [UInt8], _ given: RequestFields) throws(Failure) -> [UInt8] {
    if !body.isEmpty { try given.checkContentCoding() }
    if case .body(let field, let mediaType) = spec.raw, given.isMedia(mediaType) {
      var document: JSON = [:]
      document[field] = .string(Base64Bytes(body).description)
      return document.bytes
    }
    guard body.isEmpty || given.isJSON else { throw Failure(RequestFailure.unsupportedMediaType).ending(spec.name) }
    return body
  }

  /// The answer for an output: the JSON itself, or the file in it. A client that already has the file, by its tag, is told only that.
  func answer(_ status: Int, _ output: [UInt8], _ given: RequestFields) throws(Failure) -> HTTPAnswer {
    guard case .answer(let mediaTypes) = spec.raw else { return .json(status, output) }
    let file = try MediaFile.decode(output)
    // Nothing but what was declared: of another type, a file could be a page with a script.
    guard mediaTypes.contains(file.mediaType), file.tag.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x22 }) else {
      throw Failure(RequestFailure.internalError)
    }
    let tag = "\"\(file.tag)\""
    let isKnown = given.knows(tag)
    return HTTPAnswer(
      status: isKnown ? 304 : status, type: file.mediaType, body: isKnown ? ByteBuffer() : ByteBuffer(bytes: file.content.bytes),
      extra: [ResponseField(name: "ETag", value: tag)], caching: HTTPAnswer.Caching(file))
  }
}
