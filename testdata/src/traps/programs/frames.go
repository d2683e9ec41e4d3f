// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"errors"
	"image"
	"sync"

	"gocv.io/x/gocv"
)

// Frame counts who looks at it; the last one closes the image.
type Frame struct {
	mu   sync.Mutex
	img  gocv.Mat
	refs int
}

// NewFrame takes the image over.
func NewFrame(img gocv.Mat) *Frame { return &Frame{img: img, refs: 1} }

// Retain adds a user.
func (f *Frame) Retain() *Frame {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refs++
	return f
}

// Release takes a user away.
func (f *Frame) Release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refs--; f.refs == 0 {
		f.img.Close()
	}
}

// Double keeps the frame that is shown and the one that is filled.
type Double struct {
	front, back gocv.Mat
}

// NewDouble makes both.
func NewDouble() *Double { return &Double{front: gocv.NewMat(), back: gocv.NewMat()} }

// Flip exchanges them.
func (d *Double) Flip() { d.front, d.back = d.back, d.front }

// Fill reads into the back and shows it.
func (d *Double) Fill(cam *gocv.VideoCapture) bool {
	if !cam.Read(&d.back) {
		return false
	}
	d.Flip()
	return true
}

// Close closes both.
func (d *Double) Close() error { return errors.Join(d.front.Close(), d.back.Close()) }

// Play shows frames until the camera ends.
func Play(device string) error {
	cam, err := gocv.OpenVideoCapture(device)
	if err != nil {
		return err
	}
	defer cam.Close()
	d := NewDouble()
	defer d.Close()
	w := gocv.NewWindow(device)
	defer w.Close()
	for d.Fill(cam) {
		w.IMShow(d.front)
		if w.WaitKey(1) >= 0 {
			break
		}
	}
	return nil
}

// Fan gives each frame to several viewers, each of which releases it.
func Fan(cam *gocv.VideoCapture, viewers []chan<- *Frame) {
	for {
		img := gocv.NewMat()
		if !cam.Read(&img) {
			img.Close()
			break
		}
		f := NewFrame(img)
		for _, v := range viewers {
			v <- f.Retain()
		}
		f.Release()
	}
	for _, v := range viewers {
		close(v)
	}
}

// View is a viewer.
func View(frames <-chan *Frame, show func(gocv.Mat)) {
	for f := range frames {
		show(f.img)
		f.Release()
	}
}

// Stage is one step of an image pipeline; it may hand its input on.
type Stage func(in gocv.Mat) (gocv.Mat, error)

// Gray makes a new image and leaves the input to the caller.
func Gray(in gocv.Mat) (gocv.Mat, error) {
	out := gocv.NewMat()
	if err := gocv.CvtColor(in, &out, gocv.ColorBGRToGray); err != nil {
		out.Close()
		return gocv.Mat{}, err
	}
	return out, nil
}

// Apply runs stages and closes what lies between them.
func Apply(img gocv.Mat, stages ...Stage) (gocv.Mat, error) {
	cur := img.Clone()
	for _, s := range stages {
		next, err := s(cur)
		if err != nil {
			cur.Close()
			return gocv.Mat{}, err
		}
		cur.Close()
		cur = next
	}
	return cur, nil
}

// Faces crops each box and closes the views.
func Faces(path, cascade string) (sizes []image.Point, err error) {
	c := gocv.NewCascadeClassifier()
	defer c.Close()
	if !c.Load(cascade) {
		return nil, errors.New("no cascade")
	}
	img := gocv.IMRead(path, gocv.IMReadColor)
	defer img.Close()
	if img.Empty() {
		return nil, errors.New("no image")
	}
	gray, err := Apply(img, Gray)
	if err != nil {
		return nil, err
	}
	defer gray.Close()
	for _, box := range c.DetectMultiScale(gray) {
		func() {
			face := gray.Region(box)
			defer face.Close()
			sizes = append(sizes, image.Pt(face.Cols(), face.Rows()))
		}()
	}
	return sizes, nil
}

// Channels swaps two channels.
func Channels(src gocv.Mat) gocv.Mat {
	chans := gocv.Split(src)
	defer func() {
		for _, c := range chans {
			c.Close()
		}
	}()
	if len(chans) >= 3 {
		chans[0], chans[2] = chans[2], chans[0]
	}
	dst := gocv.NewMat()
	gocv.Merge(chans, &dst)
	return dst
}

// Largest finds the contour with the most points.
func Largest(img gocv.Mat) []image.Point {
	contours := gocv.FindContours(img, 0, 0)
	defer contours.Close()
	var best []image.Point
	for i := 0; i < contours.Size(); i++ {
		pv := contours.At(i)
		if pv.Size() <= len(best) {
			continue
		}
		best = best[:0]
		for j := 0; j < pv.Size(); j++ {
			best = append(best, pv.At(j))
		}
	}
	return best
}

// Lazy loads its network on first use.
type Lazy struct {
	once sync.Once
	path string
	net  gocv.Net
	ok   bool
}

// Net gives the network, which stays the owner's.
func (l *Lazy) Net() *gocv.Net {
	l.once.Do(func() {
		l.net = gocv.ReadNetFromONNX(l.path)
		l.ok = true
	})
	return &l.net
}

// Close closes it if it was ever loaded.
func (l *Lazy) Close() error {
	if !l.ok {
		return nil
	}
	return l.net.Close()
}
