// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package gocv is a signature-only stand-in for the OpenCV binding of the
// same import path. Handles are structs passed by value with a Close on the
// pointer, as in the real one. Nothing here runs.
package gocv

import (
	"image"
	"image/color"
	"unsafe"
)

type MatType int

const (
	MatTypeCV8U    MatType = 0
	MatTypeCV8UC1  MatType = 0
	MatTypeCV8UC3  MatType = 16
	MatTypeCV32FC1 MatType = 5
)

type IMReadFlag int

const (
	IMReadUnchanged IMReadFlag = -1
	IMReadGrayScale IMReadFlag = 0
	IMReadColor     IMReadFlag = 1
)

type ColorConversionCode int

const (
	ColorBGRToGray ColorConversionCode = 6
	ColorBGRToRGBA ColorConversionCode = 2
)

type InterpolationFlags int

const InterpolationDefault InterpolationFlags = 1

type (
	RetrievalMode            int
	ContourApproximationMode int
	TemplateMatchMode        int
	NormType                 int
)

type Scalar struct{ Val1, Val2, Val3, Val4 float64 }

func NewScalar(v1, v2, v3, v4 float64) Scalar { return Scalar{} }

type Mat struct {
	p unsafe.Pointer
	d []byte
}

func NewMat() Mat                                       { return Mat{} }
func NewMatWithSize(rows int, cols int, mt MatType) Mat { return Mat{} }
func NewMatFromBytes(rows int, cols int, mt MatType, data []byte) (Mat, error) {
	return Mat{}, nil
}
func Zeros(rows int, cols int, mt MatType) Mat { return Mat{} }

func (m *Mat) Close() error                         { return nil }
func (m *Mat) Closed() bool                         { return false }
func (m *Mat) Empty() bool                          { return false }
func (m *Mat) Clone() Mat                           { return Mat{} }
func (m *Mat) CopyTo(dst *Mat) error                { return nil }
func (m *Mat) ConvertTo(dst *Mat, mt MatType) error { return nil }
func (m *Mat) Region(rio image.Rectangle) Mat       { return Mat{} }
func (m *Mat) Reshape(cn int, rows int) Mat         { return Mat{} }
func (m *Mat) Rows() int                            { return 0 }
func (m *Mat) Cols() int                            { return 0 }
func (m *Mat) Total() int                           { return 0 }
func (m *Mat) Type() MatType                        { return 0 }
func (m *Mat) GetUCharAt(row int, col int) uint8    { return 0 }
func (m *Mat) GetFloatAt(row int, col int) float32  { return 0 }
func (m *Mat) SetTo(s Scalar)                       {}
func (m *Mat) ToBytes() []byte                      { return nil }
func (m *Mat) ToImage() (image.Image, error)        { return nil, nil }
func (m *Mat) DataPtrUint8() ([]uint8, error)       { return nil, nil }
func (m *Mat) Ptr() unsafe.Pointer                  { return nil }

func IMRead(name string, flags IMReadFlag) Mat                             { return Mat{} }
func IMDecode(buf []byte, flags IMReadFlag) (Mat, error)                   { return Mat{}, nil }
func IMWrite(name string, img Mat) bool                                    { return false }
func IMEncode(fileExt FileExt, img Mat) (buf *NativeByteBuffer, err error) { return nil, nil }
func Split(src Mat) (mv []Mat)                                             { return nil }
func Merge(mv []Mat, dst *Mat) error                                       { return nil }
func CvtColor(src Mat, dst *Mat, code ColorConversionCode) error           { return nil }
func AbsDiff(src1, src2 Mat, dst *Mat) error                               { return nil }
func BitwiseAnd(src1, src2 Mat, dst *Mat) error                            { return nil }
func MatchTemplate(image Mat, templ Mat, result *Mat, method TemplateMatchMode, mask Mat) error {
	return nil
}
func MinMaxLoc(input Mat) (minVal, maxVal float32, minLoc, maxLoc image.Point) { return }
func Resize(src Mat, dst *Mat, sz image.Point, fx, fy float64, interp InterpolationFlags) error {
	return nil
}
func Erode(src Mat, dst *Mat, kernel Mat) error                                    { return nil }
func GaussianBlur(src Mat, dst *Mat, ksize image.Point, x, y float64, b int) error { return nil }
func Rectangle(img *Mat, r image.Rectangle, c color.RGBA, thickness int) error     { return nil }
func CountNonZero(src Mat) int                                                     { return 0 }
func BlobFromImage(img Mat, scale float64, size image.Point, mean Scalar, swapRB bool, crop bool) Mat {
	return Mat{}
}

type PointVector struct{ p unsafe.Pointer }

func NewPointVector() PointVector                            { return PointVector{} }
func NewPointVectorFromPoints(pts []image.Point) PointVector { return PointVector{} }
func (pv PointVector) IsNil() bool                           { return false }
func (pv PointVector) Size() int                             { return 0 }
func (pv PointVector) At(idx int) image.Point                { return image.Point{} }
func (pv PointVector) Close()                                {}

type PointsVector struct{ p unsafe.Pointer }

func NewPointsVector() PointsVector                              { return PointsVector{} }
func NewPointsVectorFromPoints(pts [][]image.Point) PointsVector { return PointsVector{} }
func (pvs PointsVector) Size() int                               { return 0 }
func (pvs PointsVector) At(idx int) PointVector                  { return PointVector{} }
func (pvs PointsVector) Append(pv PointVector)                   {}
func (pvs PointsVector) Close()                                  {}
func FindContours(src Mat, mode RetrievalMode, method ContourApproximationMode) PointsVector {
	return PointsVector{}
}
func FillPoly(img *Mat, pts PointsVector, c color.RGBA) error { return nil }

type Net struct{ p unsafe.Pointer }

func ReadNet(model string, config string) Net                      { return Net{} }
func ReadNetFromONNX(model string) Net                             { return Net{} }
func (net *Net) Close() error                                      { return nil }
func (net *Net) Empty() bool                                       { return false }
func (net *Net) SetInput(blob Mat, name string)                    {}
func (net *Net) Forward(outputName string) Mat                     { return Mat{} }
func (net *Net) ForwardLayers(outBlobNames []string) (blobs []Mat) { return nil }
func (net *Net) GetLayer(layer int) Layer                          { return Layer{} }
func (net *Net) GetLayerNames() []string                           { return nil }
func (net *Net) GetUnconnectedOutLayers() (ids []int)              { return nil }

type Layer struct{ p unsafe.Pointer }

func (l *Layer) Close() error    { return nil }
func (l *Layer) GetName() string { return "" }

type VideoCapture struct{ p unsafe.Pointer }

func OpenVideoCapture(v interface{}) (*VideoCapture, error) { return nil, nil }
func VideoCaptureFile(uri string) (*VideoCapture, error)    { return nil, nil }
func (v *VideoCapture) Close() error                        { return nil }
func (v *VideoCapture) IsOpened() bool                      { return false }
func (v *VideoCapture) Read(m *Mat) bool                    { return false }

type VideoWriter struct{ p unsafe.Pointer }

func VideoWriterFile(name string, codec string, fps float64, width int, height int, isColor bool) (*VideoWriter, error) {
	return nil, nil
}
func (vw *VideoWriter) Close() error        { return nil }
func (vw *VideoWriter) Write(img Mat) error { return nil }

type Window struct{ name string }

func NewWindow(name string) *Window     { return nil }
func (w *Window) Close() error          { return nil }
func (w *Window) IMShow(img Mat) error  { return nil }
func (w *Window) WaitKey(delay int) int { return 0 }

type KeyPoint struct{ X, Y float64 }

type SIFT struct{ p unsafe.Pointer }

func NewSIFT() SIFT                                                  { return SIFT{} }
func (d *SIFT) Close() error                                         { return nil }
func (d *SIFT) DetectAndCompute(src Mat, mask Mat) ([]KeyPoint, Mat) { return nil, Mat{} }

type BFMatcher struct{ p unsafe.Pointer }

func NewBFMatcher() BFMatcher     { return BFMatcher{} }
func (b *BFMatcher) Close() error { return nil }

type CascadeClassifier struct{ p unsafe.Pointer }

func NewCascadeClassifier() CascadeClassifier                           { return CascadeClassifier{} }
func (c *CascadeClassifier) Close() error                               { return nil }
func (c *CascadeClassifier) Load(name string) bool                      { return false }
func (c *CascadeClassifier) DetectMultiScale(img Mat) []image.Rectangle { return nil }

type FileExt string

type NativeByteBuffer struct{ p unsafe.Pointer }

func (buffer *NativeByteBuffer) GetBytes() []byte { return nil }
func (buffer *NativeByteBuffer) Len() int         { return 0 }
func (buffer *NativeByteBuffer) Close()           {}
