/// The area under the ROC curve of whoever distinguishes two samples by their length: how often one of the first takes longer than one of
/// the second, a tie being half. By chance alone it is 0.5, with the standard deviation of ``deviationOfArea(_:_:)``.
public func areaUnderCurve(_ first: some Collection<Duration>, _ second: some Collection<Duration>) -> Double {
  let others = second.sorted()
  var (shorter, notLonger) = (0, 0)
  var longer = 0.0
  for one in first.sorted() {
    while shorter < others.count, others[shorter] < one { shorter += 1 }
    notLonger = max(notLonger, shorter)
    while notLonger < others.count, others[notLonger] == one { notLonger += 1 }
    longer += Double(shorter) + Double(notLonger - shorter) / 2
  }
  return longer / Double(first.count * others.count)
}

/// The standard deviation of the area under the curve of two samples of so many that nothing distinguishes (Mann and Whitney 1947).
public func deviationOfArea(_ first: Int, _ second: Int) -> Double {
  (Double(first + second + 1) / Double(12 * first * second)).squareRoot()
}
